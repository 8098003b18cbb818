import { join } from "node:path";
import { addressVariables, runTally as runIn } from "@tally/local";
import type { TestSystem } from "./start-system.ts";

const root = join(import.meta.dirname, "..");

/** Runs `tally ...` on a system, as a process of its own. `more` are environment variables. */
export function runTally(
  { namespace, addresses }: Pick<TestSystem, "namespace" | "addresses">,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
) {
  const environment = { PATH: process.env["PATH"], NAMESPACE: namespace, ...addressVariables(addresses), ...more };
  return runIn(root, environment, args);
}
