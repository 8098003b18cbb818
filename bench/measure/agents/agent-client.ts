import { writeFile } from "node:fs/promises";
import { reasonOf } from "@tally/runtime";
import type { Sample } from "../../kit/load.ts";
import { linesOf } from "@tally/admin/entries";
import type { ProcessName } from "../machine/own-processes.ts";
import { AgentFailed } from "./agent-failed.ts";
import { sessionHeader, silentAfterMs, type AgentLine, type AgentRun } from "./agent-protocol.ts";
import type { OpenLoad, PreparePhase, RunPhase } from "./agent-schemas.ts";
import { measureClock, type Clock } from "./measure-clock.ts";

/** A session of this bench with one agent. Every method rejects with an AgentFailed when the agent fails, also while it waits. */
export interface AgentClient {
  readonly url: string;
  readonly clock: Clock;
  /** undefined: unknown. */
  readonly process: ProcessName | undefined;
  /** Requests of the running phase that are over, as of the last second. */
  readonly through: number;
  prepare(request: PreparePhase): Promise<void>;
  run(request: RunPhase): Promise<AgentRun>;
  /** Appends the ids of the last phase to a file. */
  saveIds(file: string): Promise<void>;
  /** Ends the agent's load. Never rejects: an agent that has failed has none. */
  close(): Promise<void>;
}

interface Outcomes {
  prepared: PromiseWithResolvers<void>;
  result: PromiseWithResolvers<AgentRun>;
}

const commandWithinMs = 10_000;
// A result has a histogram, and a line for each second of the load.
const lineBytesMax = 256 * 1024 * 1024;

/** Opens a session. Throws an AgentFailed for an agent that cannot be reached, has another load, or rejects the token or the load. */
export async function openAgent(
  url: string,
  token: string,
  load: OpenLoad,
  onSample: (sample: Sample) => void,
): Promise<AgentClient> {
  const closing = new AbortController();
  const failed = Promise.withResolvers<never>();
  // Whatever waits for it gets the rejection. Without this line Node would end the process while nothing waits.
  failed.promise.catch(() => undefined);
  let isOver = false;
  let through = 0;
  let session = "";
  let process: ProcessName | undefined;
  let outcomes = newOutcomes();

  const fail = (reason: string, cause?: unknown): void => {
    if (isOver) return;
    isOver = true;
    failed.reject(new AgentFailed(url, reason, { cause }));
    closing.abort();
  };
  const orFailed = <T>(work: Promise<T>): Promise<T> => Promise.race([work, failed.promise]);

  async function ask(path: string, method: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        [sessionHeader]: session,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(commandWithinMs),
    }).catch((error: unknown) => {
      throw new AgentFailed(url, `cannot be reached: ${reasonOf(error)}`, { cause: error });
    });
    if (response.ok) return response;
    const text = await response.text().catch(reasonOf);
    throw new AgentFailed(url, `responds with ${response.status}: ${text.slice(0, 500)}`);
  }

  function read(line: AgentLine): void {
    switch (line.type) {
      case "open":
        ({ session, process } = line);
        break;
      case "beat":
        through = line.through;
        break;
      case "sample":
        // Its time becomes one of this bench's clock, by which the event is followed.
        onSample({ ...line.sample, sentAt: line.sample.sentAt - clock.offsetMs });
        break;
      case "prepared":
        outcomes.prepared.resolve();
        break;
      case "result":
        outcomes.result.resolve(line.run);
        break;
      case "failed":
        fail(line.message);
    }
  }

  // The 200 may come from another server that listens there.
  const clock = await measureClock(async () => (await ask("/clock", "GET")).json()).catch((error: unknown) => {
    if (error instanceof AgentFailed) throw error;
    throw new AgentFailed(url, `/clock: ${reasonOf(error)}`, { cause: error });
  });
  // The response lasts as long as the session.
  const { body } = await ask("/load", "POST", load, closing.signal);
  const opened = Promise.withResolvers<void>();
  const watch = watchSilence(() => fail(`sent nothing for ${silentAfterMs / 1000} s`));
  const follow = async (): Promise<void> => {
    if (body === null) throw new Error("its response has no body");
    for await (const text of linesOf(buffersOf(body), lineBytesMax)) {
      watch.heard();
      if (text === "") continue;
      const line: AgentLine = JSON.parse(text);
      read(line);
      opened.resolve();
    }
    throw new Error("it ended");
  };
  follow()
    .catch((error: unknown) =>
      fail(`its connection ended after ${through} requests of the running phase: ${reasonOf(error)}`, error),
    )
    .finally(() => watch.stop());
  await orFailed(opened.promise);

  return {
    url,
    clock,
    process,
    get through() {
      return through;
    },
    async prepare(request) {
      outcomes = newOutcomes();
      through = 0;
      await orFailed(ask("/load/prepare", "POST", request));
      await orFailed(outcomes.prepared.promise);
    },
    async run(request) {
      await orFailed(ask("/load/run", "POST", request));
      return orFailed(outcomes.result.promise);
    },
    async saveIds(file) {
      const { body: ids } = await orFailed(ask("/load/ids", "GET", undefined, closing.signal));
      if (ids !== null) await orFailed(writeFile(file, idsOf(url, ids), { flag: "a" }));
    },
    async close() {
      if (isOver) return;
      isOver = true;
      // The agent may have died meanwhile.
      await ask("/load", "DELETE").catch(() => undefined);
      closing.abort();
    },
  };
}

function newOutcomes(): Outcomes {
  return { prepared: Promise.withResolvers(), result: Promise.withResolvers() };
}

async function* buffersOf(parts: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

/** A file that cannot be written is no failure of the agent, so only what the agent sends is watched. */
async function* idsOf(url: string, parts: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    yield* buffersOf(parts);
  } catch (error) {
    throw new AgentFailed(url, `its connection ended before all ids had arrived: ${reasonOf(error)}`, { cause: error });
  }
}

/** Calls `onSilent` once when nothing is heard for silentAfterMs. */
function watchSilence(onSilent: () => void): { heard(): void; stop(): void } {
  const timer = setTimeout(onSilent, silentAfterMs);
  return { heard: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}
