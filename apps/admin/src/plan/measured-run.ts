import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { firstProblem } from "@tally/contract";
import { reasonOf } from "@tally/runtime";
import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";

const eventsMin = 10_000;
const connectionsMin = 64;

const us = Type.Number({ exclusiveMinimum: 0, expected: "more than 0 µs" });
const literal = <T extends string | number | boolean>(value: T) => Type.Literal(value, { expected: String(value) });

/**
 * The part of a report of `pnpm bench` that a plan reads. It has the cost of an event: own system with production
 * settings, events only, full load, nothing lost. Any other report is unfit.
 */
const fitRunOf = (domain: string) =>
  Type.Object(
    {
      runId: Type.String(),
      /** ISO 8601. */
      at: Type.String(),
      machine: Type.String(),
      /** The URL of a system that was running already: the CPU time of its tiers is unknown. */
      target: Type.Null({ expected: "none" }),
      domain: literal(domain),
      design: literal("batched"),
      durability: literal("confirmed"),
      model: literal("closed"),
      /** Share of GETs, 0 to 1. */
      readShare: literal(0),
      // The workloads of some domains read each event again: then a request does not cost what an event costs.
      reads: Type.Object({ requests: literal(0) }),
      // With fewer connections cores are idle at times, so the cost per event is higher and the load unknown.
      connections: Type.Number({ minimum: connectionsMin, expected: `at least ${connectionsMin}` }),
      /** Those that --set has changed; a plan knows what the number of shards costs. */
      settings: Type.Object(
        { RANKING_SHARDS: Type.Optional(Type.String()) },
        { additionalProperties: false, expected: "unchanged settings" },
      ),
      audit: Type.Object({ lost: literal(0), doubled: literal(0) }, { expected: "an audit" }),
      /** Whether rows and rankings agree. */
      agrees: literal(true),
      ranked: Type.Object({ perSecond: Type.Number({ expected: "all accepted events" }) }),
      accepted: Type.Object({
        // Fewer do not average out the start.
        events: Type.Number({ minimum: eventsMin, expected: `at least ${eventsMin}` }),
        perSecond: Type.Number(),
      }),
      /** CPU time of all processes of a tier for each event, in µs. */
      cpuUsPerEvent: Type.Object({ gateway: us, writer: us, ranker: us, broker: us, database: us, redis: us }),
    },
    { expected: "a report of pnpm bench" },
  );

export type FitRun = Static<ReturnType<typeof fitRunOf>>;
export type TierName = keyof FitRun["cpuUsPerEvent"];

/** What a fit run has, for people. */
export const fitRun =
  `a fresh system (no --target), the design batched, confirmed durability, the closed model, no reads, ` +
  `unchanged settings, at least ${connectionsMin} connections, at least ${eventsMin} accepted events, and an audit ` +
  `without differences`;

interface UnfitFile {
  readonly file: string;
  /** The reason. */
  readonly unfit: string;
}

export interface Chosen {
  readonly file: string;
  readonly run: FitRun;
  /** Newer runs that are unfit. */
  readonly passedOver: readonly UnfitFile[];
}

/**
 * The newest run of a folder that is fit for the plan of a domain. `passedOver` has the reason for each newer one, or
 * for all.
 */
export async function chooseRun(
  folder: string,
  domain: string,
): Promise<Chosen | { readonly passedOver: Chosen["passedOver"] }> {
  const files = await readdir(folder).catch(() => []);
  const passedOver: UnfitFile[] = [];
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
export async function readRun(file: string, domain: string): Promise<Pick<Chosen, "file" | "run"> | UnfitFile> {
  const schema = Compile(fitRunOf(domain));
  try {
    const run: unknown = JSON.parse(await readFile(file, "utf8"));
    return schema.Check(run) ? { file, run } : { file, unfit: firstProblem(schema, run).message };
  } catch (error) {
    return { file, unfit: reasonOf(error) };
  }
}
