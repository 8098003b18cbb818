import { arrangementOf, isSame } from "../printed/arrangements.ts";
import { asItIs, type Arrangement, type PrintedRow } from "../printed/printed-row.ts";
import { bestFirst, type StoredRun } from "./stored-run.ts";

/** The runs of ours that stand beside a printed row. */
export interface Beside {
  /** With the arrangement that the row compares with. */
  readonly same: StoredRun | undefined;
  /** The run of tally as it is, or of a running system, under the same load. Undefined where `same` is that run, and where the row has no counterpart. */
  readonly asItIs: StoredRun | undefined;
}

/** Finds them among the runs of the row's source. */
export function besideOf(row: PrintedRow, runs: readonly StoredRun[]): Beside {
  const arrangement = arrangementOf(row);
  if (arrangement === undefined) return { same: undefined, asItIs: undefined };
  const ofLoad = runs.filter(({ load }) => load === row.load);
  const found = (wanted: Arrangement) => ofLoad.find((run) => isRunOf(run, wanted));
  const running = ofLoad.find(({ gateways }) => gateways === null);
  return { same: found(arrangement), asItIs: isSame(arrangement, asItIs) ? running : (found(asItIs) ?? running) };
}

/** All runs with the arrangement that the row compares with, one for each scale, the best first. */
export function runsBeside(row: PrintedRow, runs: readonly StoredRun[]): readonly StoredRun[] {
  const arrangement = arrangementOf(row);
  if (arrangement === undefined) return [];
  return runs.filter((run) => run.load === row.load && isRunOf(run, arrangement)).toSorted(bestFirst);
}

/** Whether a run has this arrangement. */
export function isRunOf({ design, durability, gateways }: StoredRun, wanted: Arrangement): boolean {
  return design === wanted.design && durability === wanted.durability && gateways === wanted.gateways;
}
