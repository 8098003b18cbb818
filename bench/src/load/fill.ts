import type { Workload } from "@tally/domains/workloads";
import { mixSeed, Random } from "@tally/lab";
import { runClosed } from "./closed.ts";
import type { LoadPlan } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";

// A full queue accepts the next event within ms, or never.
const retries = 1000;

/** Sends POSTs until `amount` are accepted or given up. Draws from a sequence apart from that of the load. */
export async function runFill(plan: LoadPlan, workload: Workload, amount: number, recorder: Recorder): Promise<void> {
  const connections = Math.min(plan.connections, amount);
  const { spread, contentBytes } = plan;
  const { fraction } = new Random(mixSeed(~plan.seed));
  const next = () => workload.next(fraction, spread, { contentBytes });
  await runClosed({ ...plan, connections, amount, next, recorder, retries }).done;
}
