import { join } from "node:path";
import { addressVariables, runTally as runIn, type System } from "@tally/local";

const here = join(import.meta.dirname, "..");

/** Runs `tally ...` on a system in a separate process, from the checkout that the system was started from. `more` are environment variables. */
export function runTally(
  { root = here, namespace, addresses }: Pick<System, "namespace" | "addresses"> & { readonly root?: string },
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
) {
  const environment = { PATH: process.env["PATH"], NAMESPACE: namespace, ...addressVariables(addresses), ...more };
  return runIn(root, environment, args);
}

/** What a command wrote to stderr besides its progress, which it shows after 5 s: on a busy machine. */
export function withoutProgress(errors: string): string {
  return errors.replaceAll(
    /^tally: (.* \(.*\/s\)|waits, because .*|nothing is under way|found differences; .*)\n/gm,
    "",
  );
}
