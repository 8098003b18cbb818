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

/** The newest run of a folder that is fit to plan with. undefined: none is; `passedOver` tells why each is not. */
export async function chooseRun(folder: string): Promise<Chosen | { readonly passedOver: Chosen["passedOver"] }> {
  const files = await readdir(folder).catch(() => []);
  const passedOver: { readonly file: string; readonly unfit: string }[] = [];
  // Their names begin with the moment of the run.
  for (const file of files
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .toReversed()) {
    const read = await readRun(join(folder, file));
    if ("run" in read) return { ...read, passedOver };
    passedOver.push({ file, unfit: read.unfit });
  }
  return { passedOver };
}

export async function readRun(file: string): Promise<ReadRun> {
  try {
    const run: MeasuredRun = JSON.parse(await readFile(file, "utf8"));
    const unfit = whyUnfit(run);
    return unfit === undefined ? { file, run } : { file, unfit };
  } catch (error) {
    return { file, unfit: error instanceof Error ? error.message : String(error) };
  }
}

const eventsMin = 10_000;

/** Whether a run tells what an event costs us: ours, as it runs in production, with nothing but events, fully loaded, and nothing lost. */
function whyUnfit(run: MeasuredRun): string | undefined {
  if (run.target !== null) return "of a system elsewhere: what its tiers used is not known";
  if (run.design !== "batched") return `of the design ${run.design}`;
  if (run.durability !== "confirmed") return `${run.durability}, not confirmed`;
  if (run.model !== "closed") return `of the ${run.model} model, not closed`;
  if (run.readShare !== 0) return "a mix with reads";
  if (run.agrees !== true) return "not audited, or the audit found differences";
  if (run.accepted.events < eventsMin) return `${run.accepted.events} events only: starting weighs too much`;
  const unknown = tiers.find((tier) => !((run.cpuUsPerEvent?.[tier] ?? 0) > 0));
  return unknown === undefined ? undefined : `cpuUsPerEvent.${unknown}: expected a number above 0`;
}
