import type { SourceEdit } from "@tally/local/source-edits";

/* Each takes one mechanism away that the promise rests on. A drill with one of them must find losses or doubles. */

export const sabotages = {
  /**
   * A batch that comes again is stored again, and told to the rankings with what it changed then: nothing. Nor does the ranker look
   * in the ledger for what it was not told: it would mend what takes longer than a few seconds to come again.
   */
  ledger: [
    {
      apps: ["writer"],
      file: "apps/writer/src/store-batches.ts",
      find: "const entry = known.get(one.key);",
      replace: "const entry: ReturnType<typeof known.get> = undefined;",
    },
    {
      apps: ["writer"],
      file: "apps/writer/src/store-batches.ts",
      find: 'if ((await enter(transaction, entries)) === "duplicate") throw new StoredMeanwhile();',
      replace:
        'const unknown = entries.filter((_, index) => !known.has(fresh[index]?.key ?? ""));' +
        " if (unknown.length > 0) await enter(transaction, unknown);",
    },
    {
      apps: ["ranker"],
      file: "apps/ranker/src/auditor.ts",
      find: "if (repairing) await this.#repair(domain, seen, instance);",
      replace: "",
    },
  ],
  /** A ranking message that comes twice counts twice. */
  "applied-mark": [
    {
      apps: ["ranker"],
      file: "packages/rankings/src/scripts.ts",
      find: "local isNew = call('SETBIT', p .. ':applied:' .. ARGV[2], ARGV[3], 1) == 0",
      replace: "call('SETBIT', p .. ':applied:' .. ARGV[2], ARGV[3], 1) local isNew = true",
    },
  ],
  /** The writer acknowledges a batch when it gets it. */
  "early-ack": [
    {
      apps: ["writer"],
      file: "apps/writer/src/batch-writer.ts",
      find: "this.#line.push(receive(this.#decode, delivery));",
      replace: "this.#line.push(receive(this.#decode, delivery)); delivery.ack();",
    },
  ],
  /** The writer takes every event whose id is stored for a duplicate. */
  "key-comparison": [
    {
      apps: ["writer"],
      file: "apps/writer/src/find-conflicts.ts",
      find: "if (known.length === 0 && repeats.length === 0) return [];",
      replace: "if (known.length >= 0) return [];",
    },
  ],
  /** The gateway answers 2xx before the broker has confirmed. */
  "early-2xx": [
    {
      apps: ["gateway"],
      file: "apps/gateway/src/ingest/group-commit.ts",
      find: "batch.waiters.push(resolve);",
      replace: 'resolve("confirmed"); batch.waiters.push(() => undefined);',
    },
  ],
} as const satisfies Record<string, readonly SourceEdit[]>;

export type Sabotage = keyof typeof sabotages;

// The keys of an object literal are its own.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const sabotageNames = Object.keys(sabotages) as readonly Sabotage[];
