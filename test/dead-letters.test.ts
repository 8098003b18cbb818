import { randomBytes } from "node:crypto";
import { encodeRankingMessage, newEventId } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { batchOf, openPublisher, poisonSale as poison, saleEvent as event } from "./kit/publish.ts";
import { countOf, openDatabase, startSystem } from "./kit/system.ts";
import { auditOf, deadLetters, runTally } from "./kit/tally.ts";

/* Messages that no gateway sends, published to the ingest queue. What the writer stores of them: apps/writer. */

const system = await startSystem();
const database = openDatabase(system);
const send = await openPublisher(system);

const rowsOf = (storeId: number) => countOf(database, `purchases WHERE store_id = ${storeId}`);
const ranked = async (storeId: number): Promise<unknown> =>
  (await fetch(`${system.url}/stores/${storeId}/top-items`)).json();
const tally = (...args: readonly string[]) => runTally(system, ["dead-letters", ...args]);
const list = (...flags: readonly string[]) => deadLetters(system, ...flags);
const count = () => countOf(database, "dead_letters");
const countBecomes = (n: number) => expect.poll(() => count()).toBe(n);

test("two contents with one id that the database rejects are two dead letters, however often they arrive", async () => {
  const before = await count();
  const id = newEventId();
  const first = { ...poison(91), id };
  const other = { ...first, lines: [[6, 3]] };
  for (const events of [[first], [other, other], [first], [first, other]]) await send(batchOf(events));
  await countBecomes(before + 2);
  const bodies = async () => (await list("--reason", "date")).filter((one) => [one.id, one.messageId].includes(id));
  await vi.waitFor(async () => {
    const lines = (await bodies()).map(({ event: own }) => JSON.stringify(own).match(/"lines":(\[\[.*\]\])/)?.[1]);
    expect(new Set(lines)).toEqual(new Set(["[[5,2]]", "[[6,3]]"]));
  }, 60_000);
  expect(await count()).toBe(before + 2);
});

test("of an event id twice in a batch, the rejected one is a dead letter, and the batch completes", async () => {
  const bad = poison(16);
  const known = await count();
  await send(batchOf([bad, { ...bad, date: 20261120 }, event(16)]));
  await countBecomes(known + 1);
  await expect.poll(() => rowsOf(16)).toBe(2);
});

test("a repeated replay stores and counts once what the database accepts now; the rest is open again", async () => {
  const known = await count();
  const [fixed, hopeless] = [event(6, { customerId: 1000, lines: [[7, 1000]] }), poison(6)];
  await database.writer.query("ALTER TABLE purchases MODIFY customer_id TINYINT UNSIGNED NOT NULL");
  try {
    await send(batchOf([fixed, hopeless]));
    await countBecomes(known + 2);
    expect(await rowsOf(6)).toBe(0);
  } finally {
    await database.writer.query("ALTER TABLE purchases MODIFY customer_id BIGINT UNSIGNED NOT NULL");
  }

  const stateOf = async (id: string) => (await list("--state", "any")).find((letter) => letter.id === id)?.state;
  expect(await tally("replay", fixed.id, hopeless.id)).toMatchObject({ exitCode: 0 });
  await expect.poll(() => ranked(6)).toMatchObject({ items: [{ itemID: 7, quantity: 1000 }] });
  await expect.poll(() => stateOf(hopeless.id)).toBe("open");
  expect(await stateOf(fixed.id)).toBe("replayed");

  // The state after a replay that was killed before it marked its letter.
  await database.writer.query("UPDATE dead_letters SET state = 'open'");
  expect((await tally("replay", fixed.id)).output).toContain("replayed 1 of 1");
  await send(batchOf([event(7)]));
  await expect.poll(() => rowsOf(7)).toBe(1);
  expect(await rowsOf(6)).toBe(1);
  expect(await ranked(6)).toMatchObject({ items: [{ itemID: 7, quantity: 1000 }] });
  expect(await stateOf(fixed.id)).toBe("replayed");
});

test("a ranking message that no ranker can read becomes a dead letter; the next are ranked", async () => {
  const known = await count();
  const broken = ["c1", "929090ff", "9292a56c696b657394a135fba136cb7ff800000000000090"].map((hex, sequence) => {
    const batch = { producer: randomBytes(8).toString("hex"), sequence };
    return encodeRankingMessage({ batch, storedAt: Date.now(), shards: [Buffer.from(hex, "hex")] });
  });
  for (const body of [Buffer.from("no moves"), ...broken]) await send(body, "broken", "rank");
  await send(batchOf([event(18)]));
  await expect.poll(() => ranked(18)).toMatchObject({ items: [{ quantity: 2 }] });
  await countBecomes(known + 4);
  const letters = (await list("--stage", "delivery")).filter(({ messageId }) => messageId === "broken");
  expect(new Set(letters.map(({ reason }) => reason))).toEqual(
    new Set([
      "given up: rejected: expected a header line of a ranking message",
      "given up: rejected: moves of shard 0: expected two lists before byte 1 of 1",
      "given up: rejected: moves of shard 0: expected the end before byte 3 of 4",
      "given up: rejected: moves of shard 0: expected an integer before byte 23 of 24",
    ]),
  );
  expect(letters.map(({ message = "" }) => Buffer.from(message, "base64"))).toContainEqual(broken[2]);
});

test("discarded dead letters are kept, and listed on request", async () => {
  const known = await count();
  await send(batchOf([poison(8)]));
  await countBecomes(known + 1);
  const open = await list("--reason", "date");
  expect((await tally("discard", "--all", "--reason", "date")).output).toBe(
    `discarded ${open.length} of ${open.length}\n`,
  );
  expect(await list("--reason", "date")).toEqual([]);
  expect((await list("--state", "discarded")).map(({ id }) => id)).toEqual(open.map(({ id }) => id));
  expect((await tally("show", open[0]?.id ?? "")).output).toContain("(discarded)");
});

test("--all settles all letters that match, also more than are read at once", async () => {
  const columns = "id, domain, stage, queue, message_id, reason, died_at, body, state";
  const rows = Array.from({ length: 1500 }, (_, n) => {
    const state = n % 10 === 0 ? "open" : "discarded";
    return [randomBytes(16), "purchases", "event", "q", "", "one of many", n < 500 ? 1 : 2, "x", state];
  });
  await database.transaction((transaction) =>
    transaction.insert(`INSERT INTO dead_letters (${columns}) VALUES ?`, rows),
  );
  const { output } = await tally("discard", "--all", "--reason", "one of many", "--state", "any");
  expect(output).toBe("discarded 150 of 1500\n");
  expect(await countOf(database, "dead_letters WHERE reason = 'one of many' AND state = 'discarded'")).toBe(1500);
});

test("the audit counts an acknowledged event that is a dead letter as kept, not as lost", async () => {
  const [good, bad] = [event(9), poison(9)];
  const known = await count();
  await send(batchOf([good, bad]));
  await countBecomes(known + 1);
  expect(await auditOf(system, [good.id, bad.id])).toMatchObject({
    agrees: true,
    audit: { acknowledged: 2, deadLetters: 1, lost: 0 },
  });
});
