import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { LoadClient } from "../../kit/index.ts";
import type { LoadPlan, Phase } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { share, type NextRequest } from "./requests.ts";

/** Opens all connections, each with a request that is not counted: opening them later would distort the first second.
 * Returns a function that runs the load, once: it sends requests evenly at a rate, whether earlier ones have responses
 * or not. The time of each counts from when it is due: a server that stalls for a second delays every request of it. */
export async function openLoad(
  plan: LoadPlan,
): Promise<(phase: Phase & { readonly model: "open" }, next: NextRequest, recorder: Recorder) => Promise<void>> {
  const { responseWithinMs, connections } = plan;
  // At least one connection for each client.
  const urls = plan.urls.slice(0, connections);
  const clients = urls.map(
    (url, index) => new LoadClient(url, { connections: share(connections, index, urls.length), responseWithinMs }),
  );
  await Promise.all(clients.map((client) => client.connect()));

  return async ({ until, perSecond }, next, recorder) => {
    const amount = "amount" in until ? until.amount : Math.round(until.seconds * perSecond);
    let settled = 0;
    const sendOne = async (dueAt: number): Promise<void> => {
      const client = clients[recorder.sending(dueAt) % clients.length];
      const request = next();
      if (client !== undefined) {
        recorder.record(await client.send(request, { dueAt }), request.method === "GET");
      }
      settled++;
    };
    await sendEvenly(amount, perSecond, (dueAt) => void sendOne(dueAt));
    const giveUpAt = performance.now() + responseWithinMs * 2;
    while (settled < amount && performance.now() < giveUpAt) await delay(5);
    await Promise.all(clients.map((client) => client.close()));
  };
}

const tickMs = 1;

/** Calls `send` at even intervals, up to a tick later than `dueAt`, a time of performance.now(). */
async function sendEvenly(amount: number, perSecond: number, send: (dueAt: number) => void): Promise<void> {
  const startedAt = performance.now();
  const dueAtOf = (number: number): number => startedAt + (number / perSecond) * 1000;
  for (let sent = 0; sent < amount; await delay(tickMs)) {
    const now = performance.now();
    for (; sent < amount && dueAtOf(sent) <= now; sent++) send(dueAtOf(sent));
  }
}
