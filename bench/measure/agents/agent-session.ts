import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { reasonOf } from "@tally/runtime";
import { startLoad, type Load } from "../load/start-load.ts";
import { beatEveryMs, nowMs, type AgentLine } from "./agent-protocol.ts";
import type { OpenLoad, PreparePhase, RunPhase } from "./agent-schemas.ts";

// A start that is further away is a mistake of a clock. To begin anyway would be to begin apart from the other agents.
const waitMaxMs = 60_000;

/** The load of one bench in this process. Outcomes of `prepare` and `run` are lines. */
export interface AgentSession {
  prepare(request: PreparePhase): void;
  /** Only after the line "prepared", once. */
  run(request: RunPhase): void;
  /** The file with the ids of the last phase; undefined: they were not kept. */
  readonly idsFile: string | undefined;
  /** Ends the load; what runs is dropped. Resolves when its threads have exited. */
  close(): Promise<void>;
}

export async function openSession(
  { plan, threads, first, total }: OpenLoad,
  send: (line: AgentLine) => void,
): Promise<AgentSession> {
  const directory = await mkdtemp(join(tmpdir(), "tally-bench-agent-"));
  const load = startLoad(plan, threads, { first, total });
  load.onSample = (sample) => send({ type: "sample", sample });
  const closing = new AbortController();
  const beat = setInterval(() => void sendBeat(load, send), beatEveryMs);
  let prepared: Awaited<ReturnType<Load["prepare"]>> | undefined;
  let phases = 0;
  let idsFile: string | undefined;

  /** Sends the outcome as a line, and a failure too, unless the session is over. */
  const work = (outcome: () => Promise<AgentLine>): void => {
    outcome().then(send, (error: unknown) => {
      if (!closing.signal.aborted) send({ type: "failed", message: reasonOf(error) });
    });
  };

  return {
    prepare({ phase }) {
      work(async () => {
        prepared = await load.prepare(phase);
        return { type: "prepared" };
      });
    },
    run({ atMs, ids }) {
      work(async () => {
        const run = prepared;
        if (run === undefined) throw new Error("no phase is prepared");
        prepared = undefined;
        idsFile = ids ? join(directory, `ids-${++phases}`) : undefined;
        const waitMs = atMs - nowMs();
        if (waitMs > waitMaxMs)
          throw new Error(`the start is ${Math.round(waitMs / 1000)} s away, expected at most ${waitMaxMs / 1000} s`);
        await delay(Math.max(0, waitMs), undefined, { signal: closing.signal });
        const cpuBefore = process.cpuUsage();
        const startedAtMs = nowMs();
        const result = await run({ ids: idsFile });
        const { user, system } = process.cpuUsage(cpuBefore);
        return { type: "result", run: { result, startedAtMs, cpuSeconds: (user + system) / 1e6 } };
      });
    },
    get idsFile() {
      return idsFile;
    },
    async close() {
      closing.abort();
      clearInterval(beat);
      await load.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A thread that has failed reports it where its phase is awaited. */
async function sendBeat(load: Load, send: (line: AgentLine) => void): Promise<void> {
  const through = await load.progress().catch(() => 0);
  send({ type: "beat", through });
}
