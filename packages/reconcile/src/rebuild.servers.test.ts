import { firstLiveDay, type BatchId, type Domain } from "@tally/contract";
import { keepShards, type Database } from "@tally/database";
import { nextEpoch } from "@tally/database/own-database";
import type { NewGeneration } from "@tally/redis";
import { expect, onTestFinished, test, vi } from "vitest";
import { rebuild } from "./rebuild.ts";
import { storedSales } from "./stored-sales.test-kit.ts";

const names = ["during", "switching", "sharded", "failover", "read_only", "ahead"];
const { namespace, redis, rankings, connect, build, database, nextEpoch: closeEpoch, open } = storedSales(names);

/** `change`: replaces steps of the new generation. */
const rebuildWith = (
  domain: Domain,
  change: (generation: NewGeneration) => Partial<NewGeneration>,
  signal = new AbortController().signal,
) =>
  rebuild({
    domain,
    database,
    signal,
    rankings: {
      ...rankings,
      async build(name) {
        const generation = await build(name);
        return { ...generation, ...change(generation) };
      },
    },
  });

test("a batch that is committed after the snapshot is ranked before the switch", async () => {
  const { domain, store, messages, audit } = await open("during");
  let atSwitch: readonly BatchId[] | undefined;
  const outcome = await rebuildWith(domain, (generation) => ({
    async loaded(asOf) {
      await generation.loaded(asOf);
      await store(1, { isRanked: false });
    },
    async switch() {
      atSwitch = await generation.unmarked(
        domain.name,
        messages.map(({ batch }) => batch),
      );
      return generation.switch();
    },
  }));
  expect(outcome).toMatchObject({ name: "rebuilt", ranked: 1 });
  expect(atSwitch).toEqual([]);
  expect((await audit()).agrees).toBe(true);
});

test("batches that are committed at the switch are ranked after it, whenever their transactions began", async () => {
  const { domain, store, audit } = await open("switching");
  const old = Promise.withResolvers<void>();
  const committed = store(1, { isRanked: false, before: old.promise });
  await vi.waitFor(async () => expect((await nextEpoch(database, domain.name)).earlier.isOpen).toBe(true), 30_000);
  const stop = new AbortController();
  const change = (generation: NewGeneration) => ({
    async switch() {
      old.resolve();
      await committed;
      await store(1, { isRanked: false });
      stop.abort(); // as a ranker that is stopped
      return generation.switch();
    },
  });
  await rebuildWith(domain, change, stop.signal);
  expect((await audit()).agrees).toBe(true);
});

test("batches that Redis loses in a failover before the switch are ranked after it", async () => {
  const { domain, store, audit } = await open("failover");
  await rebuildWith(domain, (generation) => ({
    async loaded(asOf) {
      await generation.loaded(asOf);
      await store(1, { isRanked: false });
      await closeEpoch(domain.name);
    },
    rank: async () => true,
  }));
  expect((await audit()).agrees).toBe(true);
});

test("a rebuild ends well while the database cannot write", async () => {
  const { domain } = await open("read_only");
  const transaction = vi.spyOn(database, "transaction").mockRejectedValue(new Error("read-only"));
  onTestFinished(() => transaction.mockRestore());
  expect(await rebuild({ domain, database, rankings })).toMatchObject({ name: "rebuilt" });
});

test("live days are those of the database that is written, also when the clock of its replica is days ahead", async () => {
  const { domain } = await open("ahead");
  const [later, begunOn] = ["NOW(3) + INTERVAL 5 DAY", firstLiveDay(Date.now())];
  const snapshot: Database["snapshot"] = (endpoint, work, how) =>
    database.snapshot(
      endpoint,
      (one) => work({ ...one, query: (sql, ...of) => one.query(sql.replace("NOW(3)", later), ...of) }),
      how,
    );
  await rebuild({ domain, database: { ...database, snapshot }, rankings });
  expect([begunOn, firstLiveDay(Date.now())]).toContain((await rankings.series(domain.name))?.from);
});

test("rankings that Redis has lost are rebuilt with their number of shards, whatever the setting", async () => {
  const { domain } = await open("sharded");
  await rebuild({ domain, database, rankings, shards: 4 });
  await database.transaction((transaction) => keepShards(transaction, domain.name, 4)); // as the auditor does
  await redis.unlink(await redis.keys(`${namespace}:{${domain.name}:*`));
  const restarted = connect();
  expect(await restarted.shards(domain.name)).toBe(1);
  await rebuild({ domain, database, rankings: restarted });
  expect(await restarted.shards(domain.name)).toBe(4);
});
