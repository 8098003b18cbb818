import { workload as albums } from "./albums.ts";
import { workload as liftrides } from "./liftrides.ts";
import { workload as purchases } from "./purchases.ts";
import { workload as steps } from "./steps.ts";
import { workload as swipes } from "./swipes.ts";
import type { Workload } from "./workload.ts";

/** The workload of every domain, in the order of `domains`. */
export const workloads: readonly Workload[] = [purchases, albums, liftrides, steps, swipes];

/** The workload of a domain. Throws RangeError for a domain that does not exist. */
export function workloadOf(domain: string): Workload {
  const found = workloads.find((workload) => workload.domain === domain);
  if (found !== undefined) return found;
  throw new RangeError(`there is no domain ${domain}; there are: ${workloads.map((one) => one.domain).join(", ")}`);
}
