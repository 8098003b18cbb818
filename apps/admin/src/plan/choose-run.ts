import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/failures";
import { readMeasuredRun, tierNames, type MeasuredRun } from "@tally/pipeline/bench-report";

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

/** A fit run has the cost of an event: own system with production settings, events only, full load, nothing lost. */
function whyUnfit(run: MeasuredRun, domain: string): string | undefined {
  if (run.target !== null) return "another system: the CPU time of its tiers is unknown";
  if (run.domain !== domain) return `domain ${run.domain}, expected ${domain}`;
  if (run.design !== "batched") return `design ${run.design}, expected batched`;
  if (run.durability !== "confirmed") return `durability ${run.durability}, expected confirmed`;
  if (run.model !== "closed") return `${run.model} model, expected closed`;
  if (run.readShare !== 0) return `${run.readShare} of its requests are reads`;
  // The workloads of some domains read each event again: then a request does not cost what an event costs.
  if (run.reads.requests > 0) return `${run.reads.requests} of its requests are reads`;
  if (run.connections < connectionsMin)
    return `${run.connections} connections, at least ${connectionsMin} are a full load`;
  const changed = settingsOf(run);
  if (changed.length > 0) return `changed settings ${changed.join(", ")}`;
  if (run.agrees !== true || run.audit === null) return "not audited, or the audit found differences";
  const { lost, doubled } = run.audit;
  if (lost + doubled > 0) return `it lost ${lost} events and doubled ${doubled}`;
  if (run.ranked.perSecond === null) return "not all of its events were ranked";
  if (run.accepted.events < eventsMin)
    return `${run.accepted.events} events, at least ${eventsMin} average out the start`;
  const unknown = tierNames.find((tier) => !((run.cpuUsPerEvent[tier] ?? 0) > 0));
  return unknown === undefined ? undefined : `no CPU time for ${unknown} (cpuUsPerEvent.${unknown})`;
}

/** The settings that `--set` changed: in `settings`, in older reports only in the mode: "production, …, NAME=value". */
function settingsOf({ mode, settings = {} }: MeasuredRun): readonly string[] {
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return changed.length > 0 ? changed : mode.split(", ").filter((part) => /^[A-Z][A-Z0-9_]*=/.test(part));
}
