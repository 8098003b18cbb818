import { workloads } from "@tally/domains/workloads";
import { Type, type Static } from "typebox";

/* What an agent accepts from a bench. A source's run and a replay are not divided among agents. */

const strict = { additionalProperties: false };
const count = (max: number, min = 1) =>
  Type.Integer({ minimum: min, maximum: max, expected: `an integer from ${min} to ${max}` });
const above0 = Type.Number({ exclusiveMinimum: 0, maximum: 1e9, expected: "a number above 0" });

const names = workloads.map(({ domain }) => domain);

const LoadPlan = Type.Object(
  {
    urls: Type.Array(
      Type.String({ maxLength: 300, pattern: "^https?://[^/]+$", expected: "an address without a path" }),
      { minItems: 1, maxItems: 100, expected: "1 to 100 addresses" },
    ),
    domain: Type.String({ pattern: `^(${names.join("|")})$`, expected: `one of ${names.join(", ")}` }),
    connections: count(100_000),
    seed: count(Number.MAX_SAFE_INTEGER),
    spread: Type.Union([Type.Literal("narrow"), Type.Literal("wide"), Type.Literal("zipf")], {
      expected: "one of narrow, wide, zipf",
    }),
    readShare: Type.Number({ minimum: 0, maximum: 1, expected: "a number from 0 to 1" }),
    contentBytes: Type.Optional(count(15 * 1024 * 1024)),
    responseWithinMs: count(600_000),
  },
  { ...strict, expected: "the plan of a load" },
);

/** The whole load, and which of all its threads are the agent's. */
export const OpenLoad = Type.Object(
  { plan: LoadPlan, threads: count(256), first: count(1e6, 0), total: count(1e6) },
  { ...strict, expected: "a load and its threads" },
);
export type OpenLoad = Static<typeof OpenLoad>;

const Until = Type.Union(
  [
    Type.Object({ name: Type.Literal("seconds"), seconds: above0 }, strict),
    Type.Object({ name: Type.Literal("amount"), amount: count(1e9) }, strict),
  ],
  { expected: "seconds or an amount" },
);

/** The whole phase: the agent takes the shares of its threads. */
export const PreparePhase = Type.Object(
  {
    phase: Type.Union(
      [
        Type.Object({ model: Type.Literal("fill"), amount: count(1e9) }, strict),
        Type.Object({ model: Type.Literal("closed"), until: Until }, strict),
        Type.Object({ model: Type.Literal("open"), until: Until, perSecond: above0 }, strict),
      ],
      { expected: "a fill, or a phase of the model closed or open" },
    ),
  },
  { ...strict, expected: "a phase" },
);
export type PreparePhase = Static<typeof PreparePhase>;

export const RunPhase = Type.Object(
  {
    /** When to begin, in ms since 1970 by the agent's clock; a time that is over: at once. */
    atMs: Type.Number({ minimum: 0, expected: "a time in ms" }),
    /** Whether the ids of accepted events are kept for /load/ids. */
    ids: Type.Boolean({ expected: "true or false" }),
  },
  { ...strict, expected: "when to begin" },
);
export type RunPhase = Static<typeof RunPhase>;
