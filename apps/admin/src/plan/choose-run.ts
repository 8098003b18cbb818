import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/failures";
import { readMeasuredRun, tierNames, type MeasuredRun } from "@tally/pipeline/bench-report";

/** A stored run, or why it is unfit for a plan. */
export type ReadRun =
  | { readonly file: string; readonly run: MeasuredRun }
  | { readonly file: string; readonly unfit: string };

export interface Chosen {
  readonly file: string;
  readonly run: MeasuredRun;
  /** Newer runs that are unfit. */
  readonly passedOver: readonly { readonly file: string; readonly unfit: string }[];
}

/** The newest run of a folder that is fit for the plan of a domain. `passedOver` has the reason for each newer one, or for all. */
export async function chooseRun(
  folder: string,
  domain: string,
): Promise<Chosen | { readonly passedOver: Chosen["passedOver"] }> {
  const files = await readdir(folder).catch(() => []);
  const passedOver: { readonly file: string; readonly unfit: string }[] = [];
  // Their names begin with the time of the run.
  for (const file of files
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .toReversed()) {
    const read = await readRun(join(folder, file), domain);
    if ("run" in read) return { ...read, passedOver };
    passedOver.push({ file: read.file, unfit: read.unfit });
  }
  return { passedOver };
}

/** Reads one stored run. */
export async function readRun(file: string, domain: string): Promise<ReadRun> {
  try {
    const run = readMeasuredRun(await readFile(file, "utf8"));
    if (run === undefined) return { file, unfit: "no report of pnpm bench" };
    const unfit = whyUnfit(run, domain);
    return unfit === undefined ? { file, run } : { file, unfit: `run ${run.runId} is ${unfit}` };
  } catch (error) {
    return { file, unfit: reasonOf(error) };
  }
}

const eventsMin = 10_000;
// With fewer, cores are idle at times: an event costs more, at an unknown load.
const connectionsMin = 64;

/** A fit run has the cost of an event: own system with production settings, events only, full load, nothing lost. */
function whyUnfit(run: MeasuredRun, domain: string): string | undefined {
  if (run.target !== null) return "of another system: the CPU time of its tiers is unknown";
  if (run.domain !== domain) return `of the domain ${run.domain}, not ${domain}`;
  if (run.design !== "batched") return `of the design ${run.design}, not batched`;
  if (run.durability !== "confirmed") return `${run.durability}, not confirmed`;
  if (run.model !== "closed") return `of the ${run.model} model, not closed`;
  if (run.readShare !== 0) return `a mix with reads, ${run.readShare} of its requests`;
  // The workloads of some domains read each event again: then a request does not cost what an event costs.
  if (run.reads.requests > 0) return `one with ${run.reads.requests} reads among its requests`;
  if (run.connections < connectionsMin) return `of ${run.connections} connections only: not a full load`;
  const changed = settingsOf(run);
  if (changed.length > 0) return `one with changed settings: ${changed.join(", ")}`;
  if (run.agrees !== true || run.audit === null) return "not audited, or the audit found differences";
  const { lost, doubled } = run.audit;
  if (lost + doubled > 0) return `one that lost ${lost} events and doubled ${doubled}`;
  if (run.ranked.perSecond === null) return "one whose events were not all ranked";
  if (run.accepted.events < eventsMin)
    return `one of ${run.accepted.events} events only: too few to average out the start`;
  const unknown = tierNames.find((tier) => !((run.cpuUsPerEvent[tier] ?? 0) > 0));
  return unknown === undefined ? undefined : `without the CPU of a tier: cpuUsPerEvent.${unknown}`;
}

/** The settings that `--set` changed: in `settings`, in older reports only in the mode: "production, …, NAME=value". */
function settingsOf({ mode, settings = {} }: MeasuredRun): readonly string[] {
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return changed.length > 0 ? changed : mode.split(", ").filter((part) => /^[A-Z][A-Z0-9_]*=/.test(part));
}
