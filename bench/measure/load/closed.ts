import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { type ClientRequest, isGood, LoadClient } from "../../kit/index.ts";
import type { LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { share } from "./requests.ts";

interface Closed extends Pick<LoadPlan, "urls" | "connections" | "responseWithinMs"> {
  /** Requests of all connections together; Infinity: until `ending` is aborted. */
  readonly amount: number;
  /** Returns the next request of a connection. `eventId`: of its last response, if that was 2xx. */
  readonly next: (connection: number, sent: number, eventId: string | undefined) => ClientRequest;
  readonly recorder: Recorder;
  /** How often a request without a 2xx is sent again. */
  readonly retries?: number;
  /** Called when a connection has all its responses. */
  readonly onEnd?: (connection: number) => void;
  /** Paced load: the interval between requests of a connection. */
  readonly everyMs?: number;
  /** Aborted: each connection waits for its last response and sends no more. */
  readonly ending?: AbortSignal;
}

// undici would reconnect at once, thousands of times a second while no server listens.
const reconnectAfterMs = 100;

/** Closed, for a source and the fill, which retry, wait for each other and are paced. Resolves when every request that
 * was sent has a response or has timed out. */
export async function runClosed(o: Closed): Promise<void> {
  const { ending = new AbortController().signal } = o;
  await Promise.all(Array.from({ length: o.connections }, (_, connection) => runConnection(o, connection, ending)));
}

async function runConnection(o: Closed, connection: number, ending: AbortSignal): Promise<void> {
  const { urls, connections, responseWithinMs, everyMs } = o;
  const client = new LoadClient(urls[connection % urls.length] ?? "", { connections: 1, responseWithinMs });
  const amount = o.amount === Infinity ? Infinity : share(o.amount, connection, connections);
  let eventId: string | undefined;
  for (let sent = 0; sent < amount && !ending.aborted; sent++) {
    const startedAt = performance.now();
    eventId = await sendUntilAccepted(client, o.next(connection, sent, eventId), o, ending);
    if (everyMs === undefined) continue;
    await pause(startedAt + everyMs - performance.now(), ending);
  }
  o.onEnd?.(connection);
  await client.close();
}

/** Returns the event id of the 2xx; undefined without one. */
async function sendUntilAccepted(
  client: LoadClient,
  request: ClientRequest,
  o: Closed,
  ending: AbortSignal,
): Promise<string | undefined> {
  for (let retriesLeft = o.retries ?? 0; ; retriesLeft--) {
    const dueAt = performance.now();
    o.recorder.sending(dueAt);
    const reply = await client.send(request, { dueAt });
    o.recorder.record(reply, request.method === "GET");
    if (isGood(reply)) return reply.id || undefined;
    if (reply.name === "broken") await pause(reconnectAfterMs, ending);
    if (retriesLeft === 0 || ending.aborted) return undefined;
    o.recorder.retries++;
  }
}

/** Returns early when the load ends. */
async function pause(ms: number, ending: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal: ending }).catch(() => undefined);
}
