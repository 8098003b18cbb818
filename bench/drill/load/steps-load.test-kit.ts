import { temporaryDirectory } from "@tally/local/at-end";
import type { LoadPlan } from "./sender.ts";

/** Steps only: a domain without a bulk route, whose response a test's server would not know. */
export async function stepsPlan(url: string, eventsPerSecond: number): Promise<LoadPlan> {
  return {
    urls: [url],
    domains: ["steps"],
    eventsPerSecond,
    inFlightMax: 50,
    finishWithinMs: 10_000,
    seed: 1,
    directory: await temporaryDirectory(),
  };
}
