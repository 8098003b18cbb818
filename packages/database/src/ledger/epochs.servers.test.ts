import type { SqlReader } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { holdEpoch, ownDatabase } from "../connection/own-database.test-kit.ts";
import { clockOf, closeEarlier, joinEpoch, openEpoch, readEpochs } from "./epochs.ts";
import { addDomains, ledgerMigrations } from "./ledger.ts";

const { connect } = ownDatabase([ledgerMigrations, "ledger"]);

async function open(domain: string) {
  const database = connect();
  await database.transaction((transaction) => addDomains(transaction, [domain]));
  const read = () => readEpochs(database.writer, domain);
  return {
    database,
    domain,
    read,
    join: () => database.transaction((transaction) => joinEpoch(transaction, domain)),
    hold: () => holdEpoch(database, domain),
    openNext: async (mayOpen?: (reader: SqlReader) => Promise<boolean>) =>
      openEpoch(database, domain, await read(), mayOpen),
    close: async () => closeEarlier(database, domain, await read()),
    clock: () => clockOf(database.writer),
  };
}

test("an epoch is closed once no transaction shares it, and no transaction waits for its end", async () => {
  const { read, join, hold, openNext, close } = await open("closing");
  const [epoch, commit] = await hold();
  const opened = await openNext();
  expect(opened?.epoch).toBe(epoch + 1);
  await close();
  expect(await read()).toMatchObject({ closedTo: epoch - 1, newest: opened });
  expect((await join()).epoch).toBe(epoch + 1);
  expect(await openNext()).toBeUndefined();
  await commit();
  await close();
  expect((await read()).closedTo).toBe(epoch);
});

test("a transaction joins an open epoch while others open and close them all the time", async () => {
  const { read, join, openNext, close } = await open("racing");
  let isDone = false;
  const audited = (async () => {
    for (let left = 200; left > 0; left--) {
      await openNext();
      await close();
    }
    isDone = true;
  })();
  const joined: number[] = [];
  while (!isDone) {
    const { closedTo } = await read();
    const { epoch } = await join();
    expect(epoch).toBeGreaterThan(closedTo);
    joined.push(epoch);
  }
  await audited;
  expect(joined).toEqual(joined.toSorted((a, b) => a - b));
});

test("what was read before a promotion closes no newest epoch, and a stale look opens none and waits for nobody", async () => {
  const { database, domain, read, join, hold, openNext, close } = await open("stale");
  const first = await read();
  await openNext();
  // The promoted server lacks the newest one: the earlier one, which an auditor is about to close, is its newest.
  const promoted = { ...first, newest: { ...first.newest, epoch: 2 }, earlier: first.newest };
  await database.transaction((transaction) =>
    transaction.execute("UPDATE ledger_epochs SET epoch = 0, is_open = 0 WHERE domain = ? AND slot = 0", [domain]),
  );
  await closeEarlier(database, domain, promoted);
  expect((await join()).epoch).toBe(1);
  await openNext();
  await close();
  const [held, commit] = await hold();
  const stale = await read();
  await openNext();
  await close();
  const [, commitNext] = await hold();
  // Another auditor has used the slot of `first` meanwhile, and a transaction shares its row.
  expect(await openEpoch(database, domain, first)).toBeUndefined();
  expect(await openEpoch(database, domain, stale)).toBeUndefined();
  expect((await join()).epoch).toBe(held + 1);
  await Promise.all([commit(), commitNext()]);
});

test("no epoch is opened on a server that lacks what must come before it", async () => {
  const { read, openNext } = await open("lacking");
  const before = await read();
  expect(await openNext(async (reader) => (await clockOf(reader)) === 0)).toBeUndefined();
  expect(await read()).toEqual(before);
});

test("an epoch that is opened again after it was lost has another token", async () => {
  const [{ openNext }, { openNext: openAgain }] = [await open("first"), await open("again")];
  const [first, again] = [await openNext(), await openAgain()];
  expect(again?.epoch).toBe(first?.epoch);
  expect(again?.token).not.toBe(first?.token);
});

test("the clock is that of the database", async () => {
  const { join, clock } = await open("clock");
  const before = await clock();
  // Of this process: an hour late.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { now } = await join();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(await clock());
});
