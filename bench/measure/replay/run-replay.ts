import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { entryReader } from "@tally/admin/entries";
import { domains } from "@tally/domains";
import { LoadClient, microseconds, type LoadRequest, type Recorder } from "../../kit/load.ts";
import { encodeIntoCompressedBase64 as encode } from "hdr-histogram-js";
import type { LoadPlan, OnReply } from "../load/load-plan.ts";
import { share } from "../load/share.ts";
import type { ReplayLine } from "./replay-lines.ts";
import { lateFromMs, type ReplayPhase, type ScheduleKept } from "./replay-phase.ts";
import { replaySchedule } from "./replay-schedule.ts";

// Node's timers take at most 2^31 ms, and a pause of a night is longer at low speeds.
const pauseMaxMs = 60_000;
const microsecondsMax = 120_000_000;

/**
 * Opens all connections, as openLoad does. Returns a function that sends each line when it is due, whether earlier ones have responses or not. A
 * line that is due while all connections are busy stays in the file, and is sent as soon as one is free; its time counts from when it was due.
 * So memory does not grow however far behind the replay is; where ids are kept for an audit, it grows by 37 bytes for each accepted event.
 */
export async function openReplay(
  plan: LoadPlan,
  phase: ReplayPhase,
): Promise<(recorder: Recorder, onReply?: OnReply) => Promise<ScheduleKept>> {
  const { responseWithinMs, connections, domain } = plan;
  const requestOf = requestsOf(domain, phase);
  const urls = plan.urls.slice(0, connections);
  const sizes = urls.map((_, index) => share(connections, index, urls.length));
  const clients = urls.map((url, index) => new LoadClient(url, { connections: sizes[index] ?? 1, responseWithinMs }));
  await Promise.all(clients.map((client) => client.connect()));

  return async (recorder, onReply) => {
    const free = clients.flatMap((client, index) => Array.from({ length: sizes[index] ?? 0 }, () => client));
    const behind = microseconds();
    const kept = { late: 0, mostBehindMs: 0, behindAtEndMs: 0 };
    let onFree: () => void = () => undefined;
    const send = async (client: LoadClient, { request, key }: Keyed, dueAt: number): Promise<void> => {
      const reply = await client.send(request, { dueAt, key });
      recorder.record(reply, false);
      onReply?.(dueAt, request, reply);
      free.push(client);
      onFree();
    };
    const startedAt = performance.now();
    for await (const { line, dueMs } of replaySchedule(phase)) {
      const keyed = requestOf(line);
      const dueAt = startedAt + dueMs;
      for (let ms = dueAt - performance.now(); ms > 0; ms = dueAt - performance.now())
        await delay(Math.min(ms, pauseMaxMs));
      let client = free.shift();
      while (client === undefined) {
        await new Promise<void>((resolve) => (onFree = resolve));
        client = free.shift();
      }
      const now = performance.now();
      const behindMs = Math.max(0, now - dueAt);
      behind.recordValue(Math.min(Math.max(1, Math.round(behindMs * 1000)), microsecondsMax));
      if (behindMs >= lateFromMs) kept.late++;
      kept.mostBehindMs = Math.max(kept.mostBehindMs, behindMs);
      kept.behindAtEndMs = behindMs;
      recorder.sending(now);
      void send(client, keyed, dueAt);
    }
    while (free.length < connections) await new Promise<void>((resolve) => (onFree = resolve));
    await Promise.all(clients.map((client) => client.close()));
    return { ...kept, behind: encode(behind) };
  };
}

interface Keyed {
  readonly request: LoadRequest;
  readonly key: string | undefined;
}

function requestsOf(name: string, { file, keys, id }: ReplayPhase): (line: ReplayLine) => Keyed {
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined) throw new RangeError(`there is no domain ${name}`);
  const read = entryReader(domain);
  return ({ number, fields, key }: ReplayLine) => {
    const post = read(fields);
    if ("problem" in post) throw new Error(`${file} has changed since the replay began: line ${number} is wrong`);
    const { path, body } = post;
    return {
      request: { method: "POST", path, ...(body !== "" && { body }) },
      key: keys === "same" ? key : keys === "new" ? `${id}:${number}` : undefined,
    };
  };
}
