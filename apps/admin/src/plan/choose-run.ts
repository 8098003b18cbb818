import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { tiers, type MeasuredRun } from "./plan.ts";

/** A stored run, or why it is none to plan with. */
export type ReadRun =
  | { readonly file: string; readonly run: MeasuredRun }
  | { readonly file: string; readonly unfit: string };

export interface Chosen {
  readonly file: string;
  readonly run: MeasuredRun;
  /** Newer ones that were passed over. */
  readonly passedOver: readonly { readonly file: string; readonly unfit: string }[];
}

/** The newest run of a folder that is fit to plan a domain with. Where none is, `passedOver` tells why each is not. */
export async function chooseRun(
  folder: string,
  domain: string,
): Promise<Chosen | { readonly passedOver: Chosen["passedOver"] }> {
  const files = await readdir(folder).catch(() => []);
  const passedOver: { readonly file: string; readonly unfit: string }[] = [];
  // Their names begin with the moment of the run.
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

/** A stored run, if it is fit to plan a domain with. */
export async function readRun(file: string, domain: string): Promise<ReadRun> {
  try {
    const run: MeasuredRun = JSON.parse(await readFile(file, "utf8"));
    if (typeof run?.runId !== "string") return { file, unfit: "no report of pnpm bench" };
    const unfit = whyUnfit(run, domain);
    return unfit === undefined ? { file, run } : { file, unfit: `run ${run.runId} is ${unfit}` };
  } catch (error) {
    return { file, unfit: error instanceof Error ? error.message : String(error) };
  }
}

const eventsMin = 10_000;
// Fewer leave the cores idle now and then: an event costs more, and it is not known at what load.
const connectionsMin = 64;

/** Whether a run tells what an event costs us: ours, as it runs in production, with nothing but events, fully loaded, and nothing lost. */
function whyUnfit(run: MeasuredRun, domain: string): string | undefined {
  if (run.target !== null) return "of a system elsewhere: what its tiers used is not known";
  if (run.domain !== domain) return `of the domain ${run.domain}, not ${domain}`;
  if (run.design !== "batched") return `of the design ${run.design}, not batched`;
  if (run.durability !== "confirmed") return `${run.durability}, not confirmed`;
  if (run.model !== "closed") return `of the ${run.model} model, not closed`;
  if (run.readShare !== 0) return `a mix with reads, ${run.readShare} of its requests`;
  // Of some domains each event is read again: the cost of a request is not that of an event.
  if (run.reads.requests > 0) return `one with ${run.reads.requests} reads among its requests`;
  if (run.connections < connectionsMin) return `of ${run.connections} connections only: not a full load`;
  const changed = settingsOf(run);
  if (changed.length > 0) return `one with settings of its own: ${changed.join(", ")}`;
  if (run.agrees !== true || run.audit === null) return "not audited, or the audit found differences";
  const { lost, doubled } = run.audit;
  if (lost + doubled > 0) return `one that lost ${lost} events and doubled ${doubled}`;
  if (run.ranked.perSecond === null) return "one that was never ranked to its end";
  if (run.accepted.events < eventsMin) return `one of ${run.accepted.events} events only: starting weighs too much`;
  const unknown = tiers.find((tier) => !((run.cpuUsPerEvent?.[tier] ?? 0) > 0));
  return unknown === undefined ? undefined : `without the CPU of a tier: cpuUsPerEvent.${unknown}`;
}

/** What `--set` has changed. Reports tell it in `settings`, and all of them in their mode: "production, …, NAME=value". */
function settingsOf({ mode, settings = {} }: MeasuredRun): readonly string[] {
  const told = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return told.length > 0 ? told : mode.split(", ").filter((part) => /^[A-Z][A-Z0-9_]*=/.test(part));
}
