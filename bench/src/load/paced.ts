import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientRequest } from "@tally/domains/workloads";
import { Client, errors } from "undici";
import type { Recorder } from "./recorder.ts";

export interface Paced {
  readonly urls: readonly string[];
  readonly connections: number;
  readonly answerWithinMs: number;
  readonly everyMs: number;
  /** The next request of a connection, and how many it has sent before. */
  readonly next: (connection: number, sent: number) => ClientRequest;
  readonly recorder: Recorder;
}

/** Each connection sends a request every so many ms, later where the last answer took longer, until it is ended: then it waits for its answer. */
export function runPaced(o: Paced): { readonly done: Promise<void>; end(): void } {
  const ending = new AbortController();
  const all = Array.from({ length: o.connections }, (_, connection) => runConnection(o, connection, ending.signal));
  return { done: Promise.all(all).then(() => undefined), end: () => ending.abort() };
}

async function runConnection(
  { urls, answerWithinMs, everyMs, next, recorder }: Paced,
  connection: number,
  ending: AbortSignal,
): Promise<void> {
  const client = new Client(urls[connection % urls.length] ?? "", {
    headersTimeout: answerWithinMs,
    bodyTimeout: answerWithinMs,
  });
  for (let sent = 0; !ending.aborted; sent++) {
    const { method, path, body, contentType = "application/json" } = next(connection, sent);
    const sentAt = performance.now();
    recorder.sending(sentAt);
    try {
      const headers = body === undefined ? {} : { "content-type": contentType };
      const answer = await client.request({ method, path, body: body ?? null, headers });
      await answer.body.dump();
      const id = answer.headers["tally-event-id"];
      const us = (performance.now() - sentAt) * 1000;
      recorder.answer(answer.statusCode, us, typeof id === "string" ? id : undefined, method === "GET");
    } catch (error) {
      const late = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
      if (late) recorder.timedOut((performance.now() - sentAt) * 1000, method === "GET");
      else recorder.broken(method === "GET");
    }
    recorder.beside++;
    const restMs = Math.max(0, sentAt + everyMs - performance.now());
    // An end is no failure.
    await delay(restMs, undefined, { signal: ending }).catch(() => undefined);
  }
  await client.destroy();
}
