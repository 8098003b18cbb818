import { randomBytes } from "node:crypto";
import { type Database, enter, ledgerMigrations } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { openTcpProxy } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { readLagMs, watchReplicas } from "./replicas.ts";

// Two databases stand for two servers: one has batches that the other does not have yet.
const newer = ownDatabase([ledgerMigrations, "ledger"]);
const older = ownDatabase([ledgerMigrations, "ledger"]);
const empty = ownDatabase();

const domain = "purchases";

async function store(database: Database, storedAt: number): Promise<void> {
  const entry = {
    batch: { producer: randomBytes(8).toString("hex"), sequence: 1 },
    domain,
    bodyHash: randomBytes(8),
    events: 1,
    changes: 1,
    refused: 0,
    epoch: 1,
    storedAt,
    rankingMessage: randomBytes(10),
  };
  await database.transaction((tx) => enter(tx, [entry]));
}

test("a server that is further behind than allowed serves no reads until it has caught up", async () => {
  const [ahead, behind] = [newer.connect(), older.connect()];
  await store(ahead, 100_000);
  await store(behind, 100_000 - 5001);
  const both = newer.connect({ readUrl: `${newer.writeUrl},${older.writeUrl}` });
  const databases = async () => {
    const names = [1, 2, 3, 4].map(() => both.reader.query<{ name: string }>("SELECT DATABASE() AS name"));
    return new Set((await Promise.all(names)).map(([row]) => row?.name)).size;
  };
  expect(await databases()).toBe(2);
  onTestFinished(watchReplicas(both, [domain, "steps"], 5000));
  await vi.waitFor(async () => {
    expect(await databases()).toBe(1);
    // On a busy machine the other one may be left out for a moment, because it does not respond within a second.
    expect(await both.reader.query("SELECT stored_at AS at FROM batches")).toEqual([{ at: 100_000 }]);
  }, 30_000);

  await store(behind, 100_000 - 4999);
  await vi.waitFor(async () => expect(await databases()).toBe(2), 30_000);
});

test("a server without the tables serves no reads", async () => {
  const both = newer.connect({ readUrl: `${newer.writeUrl},${empty.writeUrl}` });
  onTestFinished(watchReplicas(both, [domain], 5000));
  await vi.waitFor(() => expect(both.replicas.map(({ isBehind }) => isBehind)).toEqual([false, true]), 30_000);
  for (let n = 0; n < 4; n++) await both.reader.query("SELECT stored_at FROM batches");
});

test("a frozen server delays the lag of the others by one timeout", async () => {
  const proxy = await openTcpProxy(newer.writeUrl);
  onTestFinished(() => proxy.close());
  const both = newer.connect({ readUrl: `${older.writeUrl},${proxy.url}`, queryTimeoutMs: 5000 });
  await store(both, Date.now());
  expect(await readLagMs(both, [domain])).toBeGreaterThan(0);
  proxy.become({ name: "frozen" });
  await readLagMs(both, [domain]);
  const begunAt = performance.now();
  expect(await readLagMs(both, [domain])).toBeGreaterThan(0);
  expect(performance.now() - begunAt).toBeLessThan(5000);
});
