import type { SourceEdit } from "@tally/local/source-edits";

/*
 * Where an app can be killed: before and after each commit, confirm and acknowledgement on an event's way. What `reach` does
 * is in preload.ts.
 */

const publisher = "packages/messaging/src/connect-publisher.ts";
const groupCommit = "apps/gateway/src/ingest/group-commit.ts";
const batchWriter = "apps/writer/src/batch-writer.ts";
const storeBatches = "apps/writer/src/store-batches.ts";
const batchRanker = "apps/ranker/src/batch-ranker.ts";

const reach = (point: string): string => `globalThis.tallyDrill.reach(${JSON.stringify(point)});`;
const before = (point: string, text: string) => ({ find: text, replace: `${reach(point)} ${text}` });
const after = (point: string, text: string) => ({ find: text, replace: `${text} ${reach(point)}` });

export const crashPoints = {
  "gateway.before-publish": {
    apps: ["gateway"],
    file: groupCommit,
    ...before("gateway.before-publish", "return this.#o.publisher.publish({"),
  },
  "gateway.before-confirm": {
    apps: ["gateway"],
    file: publisher,
    ...after("gateway.before-confirm", "one.sent = true;"),
  },
  "gateway.after-confirm": {
    apps: ["gateway"],
    file: groupCommit,
    ...before("gateway.after-confirm", 'const told = leftMs > 0 ? commitOutcome(outcome) : "busy";'),
  },
  "gateway.after-answer": {
    apps: ["gateway"],
    file: groupCommit,
    find: "for (const waiter of batch.waiters) waiter(told);",
    // Whatever kind of route waits for it: it answers within this turn of the event loop.
    replace:
      "for (const waiter of batch.waiters) waiter(told);" +
      ` if (told === "confirmed") setImmediate(() => { ${reach("gateway.after-answer")} });`,
  },
  "writer.before-commit": {
    apps: ["writer"],
    file: storeBatches,
    ...before("writer.before-commit", "return { bodies, changes: changes.length, conflicts };"),
  },
  "writer.after-commit": {
    apps: ["writer"],
    file: batchWriter,
    ...after("writer.after-commit", "const stored = await this.#transaction(group);"),
  },
  "writer.before-confirm": {
    apps: ["writer"],
    file: publisher,
    ...after("writer.before-confirm", "one.sent = true;"),
  },
  "writer.before-acknowledgement": {
    apps: ["writer"],
    file: batchWriter,
    find: "delivery.ack();",
    replace: `${reach("writer.before-acknowledgement")} delivery.ack(); ${reach("writer.after-acknowledgement")}`,
  },
  // Shares the edit of the point before it.
  "writer.after-acknowledgement": undefined,
  "ranker.before-commit": {
    apps: ["ranker"],
    file: batchRanker,
    ...before("ranker.before-commit", "const applied = await this.#o.rankings.apply("),
  },
  "ranker.before-acknowledgement": {
    apps: ["ranker"],
    file: batchRanker,
    find: "delivery.ack();",
    replace: `${reach("ranker.before-acknowledgement")} delivery.ack(); ${reach("ranker.after-acknowledgement")}`,
  },
  "ranker.after-acknowledgement": undefined,
} as const satisfies Record<string, SourceEdit | undefined>;

export type CrashPoint = keyof typeof crashPoints;

// The keys of an object literal are its own.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const crashPointNames = Object.keys(crashPoints) as readonly CrashPoint[];
