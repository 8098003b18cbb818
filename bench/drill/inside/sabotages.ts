import type { AppName } from "@tally/local";

/** Another module for one of our packages, which exports the same except for one or two functions. */
const substitute = (app: AppName, specifier: `@tally/${string}`, file: string) => ({
  app,
  specifier,
  module: new URL(`sabotage/${file}`, import.meta.url),
});

/** Each sabotage removes one mechanism that the guarantees need: the drill must find losses or doubles. */
export const sabotages = {
  /** A batch that comes again is stored again, and the ranker repairs nothing from the ledger. */
  ledger: [
    substitute("writer", "@tally/database", "no-ledger.ts"),
    substitute("ranker", "@tally/reconcile", "no-repair.ts"),
  ],
  /** A ranking message that comes twice is ranked twice. */
  "ranked-mark": [substitute("ranker", "@tally/redis", "no-mark.ts")],
  /** The writer acknowledges a batch when it arrives. */
  "early-ack": [substitute("writer", "@tally/broker", "early-ack.ts")],
  /** The writer drops an event whose id is stored with other content. */
  "key-comparison": [substitute("writer", "@tally/database", "no-conflicts.ts")],
  /** The ranker does not notice commits that the database lost. */
  epochs: [substitute("ranker", "@tally/redis", "no-epochs.ts")],
  /** The writer does not read what was taken back of a sale before. */
  "sale-lock": [substitute("writer", "@tally/domains", "no-sale-lock.ts")],
  /** The gateway responds 2xx before the broker has confirmed. */
  "early-2xx": [substitute("gateway", "@tally/broker", "early-confirm.ts")],
} as const satisfies Record<string, readonly ReturnType<typeof substitute>[]>;

export type Sabotage = keyof typeof sabotages;

// An object literal has no other keys than those of its type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const sabotageNames = Object.keys(sabotages) as readonly Sabotage[];
