import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";

/* The part of a report of `pnpm bench` that a plan reads. The bench writes more. */

/** The tiers of a system whose CPU time is measured apart. */
export const tierNames = ["gateway", "writer", "ranker", "broker", "database", "redis"] as const;
export type TierName = (typeof tierNames)[number];

const maybe = { number: Type.Union([Type.Number(), Type.Null()]), string: Type.Union([Type.String(), Type.Null()]) };

const MeasuredRun = Type.Object({
  runId: Type.String(),
  /** ISO 8601. */
  at: Type.String(),
  machine: Type.String(),
  domain: Type.String(),
  design: Type.String(),
  durability: Type.String(),
  /** The URL of a system that was running already; null: the bench has started its own. */
  target: maybe.string,
  model: Type.Union([Type.Literal("closed"), Type.Literal("open"), Type.Literal("source")]),
  connections: Type.Number(),
  /** Share of GETs, 0 to 1. */
  readShare: Type.Number(),
  /** How the apps ran, followed by the settings that --set has changed. */
  mode: Type.String(),
  /** The same settings; older reports have them in `mode` only. */
  settings: Type.Optional(Type.Record(Type.String(), Type.String())),
  agrees: Type.Union([Type.Boolean(), Type.Null()]),
  audit: Type.Union([Type.Object({ lost: Type.Number(), doubled: Type.Number() }), Type.Null()]),
  ranked: Type.Object({ perSecond: maybe.number }),
  accepted: Type.Object({ events: Type.Number(), perSecond: Type.Number() }),
  reads: Type.Object({ requests: Type.Number() }),
  /** CPU time of all processes of a tier for each event, in µs. */
  cpuUsPerEvent: Type.Object({
    gateway: maybe.number,
    writer: maybe.number,
    ranker: maybe.number,
    broker: maybe.number,
    database: maybe.number,
    redis: maybe.number,
  } satisfies Record<TierName, typeof maybe.number>),
});

export type MeasuredRun = Static<typeof MeasuredRun>;

const measuredRun = Compile(MeasuredRun);

/** Reads a stored report; undefined: the text is JSON, but no report. Throws for other text. */
export function readMeasuredRun(text: string): MeasuredRun | undefined {
  const value: unknown = JSON.parse(text);
  return measuredRun.Check(value) ? value : undefined;
}
