import { randomBytes } from "node:crypto";
import type { Database } from "@tally/database";
import { silentLog } from "@tally/failures";
import { Random } from "@tally/lab";
import { connectPublisher } from "@tally/messaging";
import { encodeBatch, encodeEvent, newEventId, queuesOf } from "@tally/pipeline";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { auditOf } from "./audit-of.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

/* Batches as gateways send them, put straight into the ingest queue: in any order, for two writer threads at once. */

let system: TestSystem;
let database: Database;
let queue: string;
let publisher: ReturnType<typeof connectPublisher>;
const ids = new Set<string>();

beforeAll(async () => {
  // One batch per transaction keeps both threads busy.
  system = await startSystem({ WRITER_THREADS: "2", WRITER_PREFETCH: "4", WRITER_EVENTS_PER_TRANSACTION: "1" });
  database = openDatabase(system);
  const queues = queuesOf(system.namespace, "swipes");
  queue = queues.ingest.name;
  publisher = connectPublisher({
    url: system.addresses.amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    log: silentLog,
  });
  await publisher.ready;
});
afterAll(async () => {
  await publisher.close();
  await database.close();
  await system.stop();
});

interface Swipe {
  readonly id: string;
  readonly swiper: number;
  readonly swipee: number;
  readonly liked: boolean;
  readonly at: number;
  readonly comment: string;
}

const swipe = (swiper: number, swipee: number, at: number, liked: boolean): Swipe => ({
  id: newEventId(),
  swiper,
  swipee,
  liked,
  at,
  comment: "",
});

async function send(batches: readonly (readonly Swipe[])[]): Promise<void> {
  await Promise.all(
    batches.map(async (swipes) => {
      for (const { id } of swipes) ids.add(id);
      const batch = { producer: randomBytes(8).toString("hex"), sequence: 0 };
      const body = encodeBatch(
        batch,
        Date.now(),
        swipes.map((one) => encodeEvent(one)),
      );
      const outcome = await publisher.publish({ queue, messageId: `${batch.producer}:0`, body });
      expect(outcome).toBe("confirmed");
    }),
  );
}

const stored = async () => {
  const [row] = await database.writer.query<{ swipes: number }>("SELECT COUNT(*) AS swipes FROM swipes");
  return row?.swipes;
};
const pairsOf = (swiper: number) =>
  database.writer.query("SELECT swipee, liked, taken_at FROM swipe_pairs WHERE swiper = ? ORDER BY swipee", [swiper]);

test("the newest wins: in one batch, in two batches, out of order, and twice", async () => {
  const [right, left] = [true, false];
  await send([[swipe(1, 1, 10, right), swipe(1, 1, 20, left)]]);
  await send([[swipe(1, 2, 20, left), swipe(1, 2, 10, right)]]);
  await send([[swipe(1, 3, 10, right)]]);
  await send([[swipe(1, 3, 20, left)]]);
  await send([[swipe(1, 4, 20, left)]]);
  await send([[swipe(1, 4, 10, right)]]);
  const twice = swipe(1, 5, 10, right);
  await send([[twice]]);
  await send([[swipe(1, 5, 20, left)], [twice, swipe(1, 6, 1, right)]]);
  await send([[twice]]);
  // In one ms the greater id wins: it was given out later.
  const [first, second] = [swipe(1, 7, 10, left), swipe(1, 7, 10, right)];
  await send([[second]]);
  await send([[first]]);
  await vi.waitFor(async () => expect(await stored()).toBe(ids.size), 30_000);
  expect(await pairsOf(1)).toEqual([
    ...[1, 2, 3, 4, 5].map((swipee) => ({ swipee, liked: 0, taken_at: 20 })),
    { swipee: 6, liked: 1, taken_at: 1 },
    { swipee: 7, liked: 1, taken_at: 10 },
  ]);
  expect(await auditOf(system, [...ids], "--domain", "swipes")).toMatchObject({
    agrees: true,
    audit: { lost: 0, doubled: 0 },
  });
});

test("the newest wins while two writers store hundreds of swipes of the same few pairs at once, in any order and some twice", async () => {
  const generator = new Random(7);
  const random = (below: number): number => generator.integer(0, below - 1);
  const swipes = Array.from({ length: 3000 }, () => swipe(2, random(20), random(1000), random(2) === 1));
  const batches = Array.from({ length: 300 }, (_, n) => swipes.slice(n * 10, n * 10 + 10));
  // Retries are other batches.
  const retried = Array.from({ length: 60 }, () => [swipes[random(swipes.length)] ?? swipe(2, 0, 0, true)]);
  await send(generator.shuffled([...batches, ...retried]));
  await vi.waitFor(async () => expect(await stored()).toBe(ids.size), 30_000);

  const newest = new Map<number, Swipe>();
  for (const one of swipes) {
    const before = newest.get(one.swipee);
    if (before === undefined || one.at > before.at || (one.at === before.at && one.id > before.id))
      newest.set(one.swipee, one);
  }
  const expected = [...newest.values()]
    .toSorted((a, b) => a.swipee - b.swipee)
    .map(({ swipee, liked, at }) => ({ swipee, liked: liked ? 1 : 0, taken_at: at }));
  expect(await pairsOf(2)).toEqual(expected);
  expect(await auditOf(system, [...ids], "--domain", "swipes")).toMatchObject({
    agrees: true,
    audit: { acknowledged: ids.size, stored: ids.size, ranked: ids.size, lost: 0, doubled: 0 },
  });
});

test("the audit names a pair that does not follow from its swipes", async () => {
  await send([[swipe(3, 1, 10, true), swipe(3, 2, 10, false)]]);
  await vi.waitFor(async () => expect(await pairsOf(3)).toHaveLength(2), 30_000);
  await database.writer.query("CREATE TABLE right_pairs AS SELECT * FROM swipe_pairs WHERE swiper = 3");
  await database.transaction(async (transaction) => {
    await transaction.execute("UPDATE swipe_pairs SET taken_at = 5 WHERE swiper = 3 AND swipee = 1");
    await transaction.execute("DELETE FROM swipe_pairs WHERE swiper = 3 AND swipee = 2");
    await transaction.execute(
      "INSERT INTO swipe_pairs (swiper, swipee, liked, taken_at, swipe_id) VALUES (9, 9, 0, 1, UNHEX(REPEAT('00', 16)))",
    );
  });
  const report = await auditOf(system, [...ids], "--domain", "swipes", "--wait", "2");
  expect(report).toMatchObject({ agrees: false });
  const text = JSON.stringify(report);
  expect(text).toMatch(/swipe [0-9a-f]{32} is newer than the pair 3, 1"/);
  expect(text).toMatch(/swipe [0-9a-f]{32} is newer than the pair 3, 2"/);
  expect(text).toContain("the pair 9, 9 differs from its swipe");
  await database.transaction(async (transaction) => {
    await transaction.execute("REPLACE INTO swipe_pairs SELECT * FROM right_pairs");
    await transaction.execute("DELETE FROM swipe_pairs WHERE swiper = 9");
  });
});
