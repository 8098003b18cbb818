import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { readMeasuredRun, tierNames, type MeasuredRun } from "./measured-run.ts";

interface FitRun {
  readonly file: string;
  readonly run: MeasuredRun;
}

interface UnfitRun {
  readonly file: string;
  /** The reason. */
  readonly unfit: string;
}

export interface Chosen extends FitRun {
  /** Newer runs that are unfit. */
  readonly passedOver: readonly UnfitRun[];
}

/** The newest run of a folder that is fit for the plan of a domain. `passedOver` has the reason for each newer one, or for all. */
export async function chooseRun(
  folder: string,
  domain: string,
): Promise<Chosen | { readonly passedOver: Chosen["passedOver"] }> {
  const files = await readdir(folder).catch(() => []);
  const passedOver: UnfitRun[] = [];
  // Their names begin with the time of the run.
  const oldestFirst = files.filter((name) => name.endsWith(".json")).toSorted();
  for (const file of oldestFirst.toReversed()) {
    const read = await readRun(join(folder, file), domain);
    if ("run" in read) return { ...read, passedOver };
    passedOver.push(read);
  }
  return { passedOver };
}

/** Reads one stored run. */
export async function readRun(file: string, domain: string): Promise<FitRun | UnfitRun> {
  try {
    const run = readMeasuredRun(await readFile(file, "utf8"));
    if (run === undefined) return { file, unfit: "no report of pnpm bench" };
    const unfit = whyUnfit(run, domain);
    return unfit === undefined ? { file, run } : { file, unfit: `run ${run.runId} is unfit: ${unfit}` };
  } catch (error) {
    return { file, unfit: reasonOf(error) };
  }
}

const eventsMin = 10_000;
// With fewer connections cores are idle at times, so the cost per event is higher and the load unknown.
const connectionsMin = 64;

/** What a fit run has, for people. */
export const fitRun =
  `a fresh system (no --target), the design batched, confirmed durability, the closed model, no reads, unchanged settings, ` +
  `at least ${connectionsMin} connections, at least ${eventsMin} accepted events, and an audit without differences`;

/** A fit run has the cost of an event: own system with production settings, events only, full load, nothing lost. */
function whyUnfit(run: MeasuredRun, domain: string): string | undefined {
  const expected = (name: string, what: string, got: unknown): string =>
    `${name}: expected ${what}, got ${String(got)}`;
  if (run.target !== null)
    return `${expected("target", "none", run.target)}; the CPU time of the tiers of another system is unknown`;
  if (run.domain !== domain) return expected("domain", domain, run.domain);
  if (run.design !== "batched") return expected("design", "batched", run.design);
  if (run.durability !== "confirmed") return expected("durability", "confirmed", run.durability);
  if (run.model !== "closed") return expected("model", "closed", run.model);
  if (run.readShare !== 0) return expected("share of reads", "0", run.readShare);
  // The workloads of some domains read each event again: then a request does not cost what an event costs.
  if (run.reads.requests > 0) return expected("reads", "0", run.reads.requests);
  if (run.connections < connectionsMin)
    return `${expected("connections", `at least ${connectionsMin}`, run.connections)}; fewer are no full load`;
  const changed = settingsOf(run);
  if (changed.length > 0) return expected("changed settings", "none", changed.join(", "));
  if (run.audit === null) return expected("audit", "one", "none");
  const { lost, doubled } = run.audit;
  if (lost + doubled > 0) return expected("audit", "0 lost and 0 doubled", `${lost} lost and ${doubled} doubled`);
  if (run.agrees !== true) return expected("audit", "rows and rankings that agree", "differences");
  if (run.ranked.perSecond === null) return expected("ranked", "all accepted events", "fewer");
  if (run.accepted.events < eventsMin)
    return `${expected("accepted events", `at least ${eventsMin}`, run.accepted.events)}; fewer do not average out the start`;
  const unknown = tierNames.find((tier) => !((run.cpuUsPerEvent[tier] ?? 0) > 0));
  return unknown === undefined
    ? undefined
    : expected(`cpuUsPerEvent.${unknown}`, "more than 0 µs", run.cpuUsPerEvent[unknown] ?? "none");
}

/** The settings that `--set` changed: in `settings`, in older reports only in the mode: "production, …, NAME=value". */
function settingsOf({ mode, settings = {} }: MeasuredRun): readonly string[] {
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return changed.length > 0 ? changed : mode.split(", ").filter((part) => /^[A-Z][A-Z0-9_]*=/.test(part));
}
