import { workerData } from "node:worker_threads";
import { serveThread } from "../../kit/index.ts";
import { Clients } from "./clients.ts";
import type { LoadCalls, LoadPlan } from "./protocol.ts";

/* The load has its own thread, so that the work of the drill does not delay it. */

const plan: LoadPlan = workerData;
const clients = new Clients(plan);

serveThread<LoadCalls>({
  figures: () => clients.figures(),
  probe: (gateway) => clients.probe(gateway),
  hold: (isHeld) => clients.hold(isHeld),
  finish: () => clients.finish(),
});
