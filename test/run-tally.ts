import { join } from "node:path";
import { addressVariables, runTally as runIn } from "@tally/local";
import type { TestSystem } from "./start-system.ts";

const here = join(import.meta.dirname, "..");

/** Runs `tally ...` on a system, as a process of its own, of the checkout that the system was started from. `more` are environment variables. */
export function runTally(
  { root = here, namespace, addresses }: Pick<TestSystem, "namespace" | "addresses"> & { readonly root?: string },
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
) {
  const environment = { PATH: process.env["PATH"], NAMESPACE: namespace, ...addressVariables(addresses), ...more };
  return runIn(root, environment, args);
}
