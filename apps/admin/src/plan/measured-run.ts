import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import { Type, type Static } from "typebox";
import { Check } from "typebox/value";

/** The tiers of a system whose CPU time the bench measures apart. */
const tierNames = ["gateway", "writer", "ranker", "broker", "database", "redis"] as const;
export type TierName = (typeof tierNames)[number];

const us = Type.Union([Type.Number(), Type.Null()]);

/** The part of a report of `pnpm bench` that a plan reads. */
const MeasuredRun = Type.Object({
  runId: Type.String(),
  /** ISO 8601. */
  at: Type.String(),
  machine: Type.String(),
  domain: Type.String(),
  design: Type.String(),
  durability: Type.String(),
  /** The URL of a system that was running already; null: the bench has started its own. */
  target: Type.Union([Type.String(), Type.Null()]),
  model: Type.String(),
  connections: Type.Number(),
  /** Share of GETs, 0 to 1. */
  readShare: Type.Number(),
  /** Those that --set has changed. */
  settings: Type.Record(Type.String(), Type.String()),
  agrees: Type.Union([Type.Boolean(), Type.Null()]),
  audit: Type.Union([Type.Object({ lost: Type.Number(), doubled: Type.Number() }), Type.Null()]),
  ranked: Type.Object({ perSecond: Type.Union([Type.Number(), Type.Null()]) }),
  accepted: Type.Object({ events: Type.Number(), perSecond: Type.Number() }),
  reads: Type.Object({ requests: Type.Number() }),
  /** CPU time of all processes of a tier for each event, in µs. */
  cpuUsPerEvent: Type.Object({ gateway: us, writer: us, ranker: us, broker: us, database: us, redis: us }),
});
export type MeasuredRun = Static<typeof MeasuredRun>;

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
    const run: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!Check(MeasuredRun, run)) return { file, unfit: "no report of pnpm bench" };
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
  `a fresh system (no --target), the design batched, confirmed durability, the closed model, no reads, ` +
  `unchanged settings, at least ${connectionsMin} connections, at least ${eventsMin} accepted events, and an audit ` +
  `without differences`;

/** A fit run has the cost of an event: own system with production settings, events only, full load, nothing lost. */
function whyUnfit(run: MeasuredRun, domain: string): string | undefined {
  const { target, connections, reads, settings, audit, accepted, cpuUsPerEvent } = run;
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const unknown = tierNames.find((tier) => !((cpuUsPerEvent[tier] ?? 0) > 0));
  const rules: readonly (readonly [isFit: boolean, name: string, expected: string, got: unknown])[] = [
    [target === null, "target", "none", `${target}; the CPU time of the tiers of another system is unknown`],
    [run.domain === domain, "domain", domain, run.domain],
    [run.design === "batched", "design", "batched", run.design],
    [run.durability === "confirmed", "durability", "confirmed", run.durability],
    [run.model === "closed", "model", "closed", run.model],
    [run.readShare === 0, "share of reads", "0", run.readShare],
    // The workloads of some domains read each event again: then a request does not cost what an event costs.
    [reads.requests === 0, "reads", "0", reads.requests],
    [
      connections >= connectionsMin,
      "connections",
      `at least ${connectionsMin}`,
      `${connections}; fewer are no full load`,
    ],
    [changed.length === 0, "changed settings", "none", changed.join(", ")],
    [audit !== null, "audit", "one", "none"],
    [
      audit?.lost === 0 && audit.doubled === 0,
      "audit",
      "0 lost and 0 doubled",
      `${audit?.lost} lost and ${audit?.doubled} doubled`,
    ],
    [run.agrees === true, "audit", "rows and rankings that agree", "differences"],
    [run.ranked.perSecond !== null, "ranked", "all accepted events", "fewer"],
    [
      accepted.events >= eventsMin,
      "accepted events",
      `at least ${eventsMin}`,
      `${accepted.events}; fewer do not average out the start`,
    ],
    [unknown === undefined, `cpuUsPerEvent.${unknown}`, "more than 0 µs", cpuUsPerEvent[unknown ?? "redis"] ?? "none"],
  ];
  const broken = rules.find(([isFit]) => !isFit);
  return broken && `${broken[1]}: expected ${broken[2]}, got ${String(broken[3])}`;
}
