import { workloads, type SourceRun } from "@tally/domains/workloads";
import type { PrintedRow } from "./printed-row.ts";
import { rowsOfS0 } from "./s0.ts";
import { rowsOfS1 } from "./s1.ts";
import { rowsOfS2 } from "./s2.ts";
import { rowsOfS3 } from "./s3.ts";
import { rowsOfS4 } from "./s4.ts";

/** A source: its loads, and every row that it prints. */
export interface PrintedSource {
  /** S0 to S4. */
  readonly name: string;
  readonly domain: string;
  readonly loads: readonly SourceRun[];
  readonly rows: readonly PrintedRow[];
}

const rowsOf: Readonly<Record<string, readonly PrintedRow[]>> = {
  S0: rowsOfS0,
  S1: rowsOfS1,
  S2: rowsOfS2,
  S3: rowsOfS3,
  S4: rowsOfS4,
};

/** The five sources, from S0 to S4. */
export const printedSources: readonly PrintedSource[] = workloads
  .flatMap(({ domain, source }) =>
    source === undefined ? [] : [{ name: source.name, domain, loads: source.runs, rows: rowsOf[source.name] ?? [] }],
  )
  .toSorted((a, b) => a.name.localeCompare(b.name));

/** The group of connections that only read, beside those whose rate a source prints. */
export const readers = "readers";

/** The requests of a load at scale 1 whose rate the source prints. */
export function requestsOf(load: SourceRun): number {
  return load
    .groups(1)
    .filter(({ name }) => name !== readers)
    .reduce((sum, { connections, requestsOfEach }) => sum + connections * requestsOfEach, 0);
}
