import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import type { LoadPlan, Until } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import type { Requests } from "./requests.ts";
import { send } from "./send.ts";
import { share } from "./share.ts";

interface OpenPhase {
  readonly until: Until;
  readonly perSecond: number;
}

/**
 * Opens all connections, each with a request that is not counted: opening hundreds while requests are due would distort the first second.
 * Returns a function that runs the load, once.
 */
export async function openLoad(
  plan: LoadPlan,
): Promise<(phase: OpenPhase, requests: Requests, recorder: Recorder) => Promise<void>> {
  const { responseWithinMs, connections } = plan;
  // A pool of 0 connections would be unlimited.
  const urls = plan.urls.slice(0, connections);
  const connectionsOf = (index: number): number => share(connections, index, urls.length);
  const pools = urls.map(
    (url, index) =>
      new Pool(url, {
        connections: connectionsOf(index),
        pipelining: 1,
        headersTimeout: responseWithinMs,
        bodyTimeout: responseWithinMs,
      }),
  );
  const open = async (pool: Pool): Promise<void> => {
    const { body } = await pool.request({ method: "GET", path: "/health/live" });
    await body.dump();
  };
  // A gateway that does not respond shows in the load.
  await Promise.allSettled(
    pools.flatMap((pool, index) => Array.from({ length: connectionsOf(index) }, () => open(pool))),
  );
  return async (phase, requests, recorder) => {
    try {
      await runOpen(pools, phase, requests, { recorder, responseWithinMs });
    } finally {
      await Promise.all(pools.map((pool) => pool.destroy()));
    }
  };
}

/**
 * Sends requests evenly at a rate, whether earlier ones have responses or not. The time of each counts from when it is due: while all
 * connections are busy it waits, so a server that stalls for a second delays every request of that second. Ends when all have a response or
 * have timed out.
 */
async function runOpen(
  pools: readonly Pool[],
  { until, perSecond }: OpenPhase,
  requests: Requests,
  how: { readonly recorder: Recorder; readonly responseWithinMs: number },
): Promise<void> {
  const amount = until.name === "amount" ? until.amount : Math.round(until.seconds * perSecond);
  const startedAt = performance.now();
  let settled = 0;

  async function sendOne(dueAt: number): Promise<void> {
    const pool = pools[how.recorder.sending(dueAt) % pools.length];
    if (pool !== undefined) await send(pool, requests.next(), dueAt, how);
    settled++;
  }

  for (let due = 0; due < amount;) {
    const now = performance.now() - startedAt;
    for (; due < amount && (due / perSecond) * 1000 <= now; due++) void sendOne(startedAt + (due / perSecond) * 1000);
    await delay(1);
  }
  const giveUpAt = performance.now() + how.responseWithinMs * 2;
  while (settled < amount && performance.now() < giveUpAt) await delay(5);
}
