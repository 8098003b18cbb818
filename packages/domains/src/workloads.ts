import { workload as albums } from "./albums/workload.ts";
import { workload as liftrides } from "./liftrides/workload.ts";
import { workload as purchases } from "./purchases/workload.ts";
import { workload as steps } from "./steps/workload.ts";
import { workload as swipes } from "./swipes/workload.ts";
import type { Workload } from "./workload.ts";

export { spreadOver } from "./workload.ts";
export type { BulkEntry, ClientRequest, Source, SourceGroup, SourceRun, Spread, Workload } from "./workload.ts";

/** The workload of every domain, in the order of `domains`. Production loads no file of this entry point. */
export const workloads: readonly Workload[] = [purchases, albums, liftrides, steps, swipes];

/** The workload of a domain. Throws RangeError for a domain that does not exist. */
export function workloadOf(domain: string): Workload {
  const found = workloads.find((workload) => workload.domain === domain);
  if (found !== undefined) return found;
  throw new RangeError(`there is no domain ${domain}; there are: ${workloads.map((one) => one.domain).join(", ")}`);
}
