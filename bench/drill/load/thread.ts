import { workerData } from "node:worker_threads";
import { serveThread } from "../../kit/index.ts";
import { Clients } from "./clients.ts";
import type { LoadPlan } from "./sender.ts";

/* The load has its own thread, so that the work of the drill does not delay it. */

export type LoadCalls = Pick<Clients, "figures" | "probe" | "hold" | "forget" | "finish">;

const plan: LoadPlan = workerData;
serveThread<LoadCalls>(new Clients(plan));
