import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { errors, Pool } from "undici";
import type { LoadPlan, Until } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import type { Requests } from "./requests.ts";
import { share } from "./share.ts";

const eventIdHeader = "tally-event-id";

interface OpenPhase {
  readonly until: Until;
  readonly perSecond: number;
}

/**
 * Opens all connections, with a request on each that is not counted: hundreds that are opened while requests are due would be what the first
 * second measures. Whoever does not answer it is met again by the load. The answer runs that load, once.
 */
export async function openLoad(
  plan: LoadPlan,
): Promise<(phase: OpenPhase, requests: Requests, recorder: Recorder) => Promise<void>> {
  const { answerWithinMs, connections } = plan;
  // A pool of no connection would open as many as it likes.
  const urls = plan.urls.slice(0, connections);
  const connectionsOf = (index: number): number => share(connections, index, urls.length);
  const pools = urls.map(
    (url, index) =>
      new Pool(url, {
        connections: connectionsOf(index),
        pipelining: 1,
        headersTimeout: answerWithinMs,
        bodyTimeout: answerWithinMs,
      }),
  );
  const ask = async (pool: Pool): Promise<void> => {
    const { body } = await pool.request({ method: "GET", path: "/health/live" });
    await body.dump();
  };
  await Promise.allSettled(
    pools.flatMap((pool, index) => Array.from({ length: connectionsOf(index) }, () => ask(pool))),
  );
  return async (phase, requests, recorder) => {
    try {
      await runOpen({ pools, answerWithinMs }, phase, requests, recorder);
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()));
    }
  };
}

/**
 * Requests come evenly at a rate, answered or not. The time of each counts from when it should have been sent: it waits in line while all
 * connections are busy, so a server that stalls shows it in every request that came meanwhile. Ends when all are answered or given up.
 */
async function runOpen(
  { pools, answerWithinMs }: { readonly pools: readonly Pool[]; readonly answerWithinMs: number },
  { until, perSecond }: OpenPhase,
  requests: Requests,
  recorder: Recorder,
): Promise<void> {
  const amount = until.name === "amount" ? until.amount : Math.round(until.seconds * perSecond);
  const startedAt = performance.now();
  let settled = 0;

  const send = (dueAt: number): void => {
    const { method, path, body, contentType = "application/json" } = requests.next();
    let status = 0;
    let id: string | undefined;
    pools[recorder.sending(dueAt) % pools.length]?.dispatch(
      { method, path, body: body ?? null, headers: body === undefined ? [] : ["content-type", contentType] },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          const value = headers[eventIdHeader];
          if (typeof value === "string") id = value;
        },
        onResponseData: () => undefined,
        onResponseEnd() {
          settled++;
          recorder.answer(status, (performance.now() - dueAt) * 1000, id, method === "GET");
        },
        onResponseError(_controller, error) {
          settled++;
          const waitedMs = performance.now() - dueAt;
          const late = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
          // Also what still waits in line when all is over.
          if (late || waitedMs >= answerWithinMs)
            recorder.timedOut(Math.max(answerWithinMs, waitedMs) * 1000, method === "GET");
          else recorder.broken(method === "GET");
        },
      },
    );
  };

  for (let due = 0; due < amount;) {
    const now = performance.now() - startedAt;
    for (; due < amount && (due / perSecond) * 1000 <= now; due++) send(startedAt + (due / perSecond) * 1000);
    await delay(1);
  }
  const giveUpAt = performance.now() + answerWithinMs * 2;
  while (settled < amount && performance.now() < giveUpAt) await delay(5);
}
