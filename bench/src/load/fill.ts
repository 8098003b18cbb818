import type { Workload } from "@tally/domains/workloads";
import { runClosed } from "./closed.ts";
import type { LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { mixed, randomOf } from "./requests.ts";

// A queue that is full takes the next one in milliseconds, or never.
const retries = 1000;

/**
 * Sends so many POSTs, each again while it is refused. Its random numbers are its own, not those of what is sent afterwards. Ends when all
 * are accepted, or given up.
 */
export async function runFill(plan: LoadPlan, workload: Workload, amount: number, recorder: Recorder): Promise<void> {
  const connections = Math.min(plan.connections, amount);
  if (connections === 0) return;
  const { spread, contentBytes } = plan;
  const random = randomOf(mixed(~plan.seed));
  const next = () => workload.next(random, spread, { contentBytes });
  await runClosed({ ...plan, connections, amount, next, recorder, retries }).done;
}
