import { ownDatabase } from "../connection/own-database.test-kit.ts";
import { bytesOfEventId, newEventId } from "@tally/contract";
import { expect, test } from "vitest";
import { letterOfMessage, countLetters, deadLetterMigrations, findLetterHead, findLetters } from "./letters.ts";
import { keepLetters, listLetters, newestLetters, settleLetter } from "./letters.ts";
import type { DeadLetter, NewLetter } from "./letters.ts";

const { connect } = ownDatabase([deadLetterMigrations, "dead-letters"]);

function letter(more: Partial<NewLetter> = {}): NewLetter {
  const id = newEventId();
  const body = Buffer.from(id);
  return { id, domain: "steps", stage: "rejected", queue: "q", messageId: "", reason: "why", body, ...more };
}

function open() {
  const database = connect();
  const keep = (...letters: readonly NewLetter[]) =>
    database.transaction((transaction) => keepLetters(transaction, letters));
  /** By the database's clock, in seconds since 1970. */
  const keepAt = (seconds: string, one: NewLetter) =>
    database.transaction(async (transaction) => {
      await transaction.execute(`SET timestamp = ${seconds}`);
      await keepLetters(transaction, [one]);
      await transaction.execute("SET timestamp = DEFAULT");
    });
  const settle = (kept: DeadLetter, state: "replayed" | "discarded") =>
    database.transaction((transaction) => settleLetter(transaction, kept, state));
  const find = async ({ id }: NewLetter): Promise<DeadLetter> => {
    const [found] = await findLetters(database.writer, [id]);
    if (found === undefined) throw new Error(`no letter ${id}`);
    return found;
  };
  return { keep, keepAt, settle, find, reader: database.writer };
}

test.each([
  ["rejected", "replayed", "open"],
  ["message", "replayed", "open"],
  ["rejected", "discarded", "discarded"],
  // The replay was stored under the letter's id; only a retry of the client came again.
  ["conflict", "replayed", "replayed"],
] as const)("a letter of stage %s that is %s and comes again is one letter, %s", async (stage, before, after) => {
  const { keepAt, settle, find } = open();
  // It may come again within the same ms: a reader detects that by its time, too.
  const keep = (one: NewLetter) => keepAt("1800000000", one);
  const own = letter({ stage });
  await keep(own);
  const first = await find(own);
  expect(first).toEqual({ ...own, state: "open", diedAt: 1_800_000_000_000 });
  expect(await settle(first, before)).toBe(true);
  await keep({ ...own, reason: "again" });
  const again = await find(own);
  expect(again).toMatchObject({ state: after, reason: "again" });
  expect(again.diedAt).toBeGreaterThan(first.diedAt);
});

test("a letter that came again since it was read is not settled", async () => {
  const { keep, settle, find } = open();
  const own = letter();
  await keep(own);
  const read = await find(own);
  await keep(own);
  expect([await settle(read, "discarded"), (await find(own)).state]).toEqual([false, "open"]);
  const settled = [await settle(await find(own), "discarded"), await settle(await find(own), "discarded")];
  expect(settled).toEqual([true, false]);
});

test("a body of several MB is kept whole, also when its letter comes again", async () => {
  const { keep, find } = open();
  const body = Buffer.alloc(2_500_001, "0123456789");
  const own = letter({ body });
  await keep(own, letter());
  await keep(own);
  expect((await find(own)).body.equals(body)).toBe(true);
});

test("of a message over 16 MB the beginning is kept, and the reason states it", () => {
  const message = { domain: "steps", stage: "message", queue: "q", messageId: "m", reason: "no JSON" } as const;
  const whole = letterOfMessage({ ...message, body: Buffer.alloc(16_000_000) });
  const cut = letterOfMessage({ ...message, body: Buffer.alloc(16_000_001) });
  expect([whole.body.length, whole.reason]).toEqual([16_000_000, "no JSON"]);
  expect([cut.body.length, cut.reason]).toEqual([16_000_000, "the first 16000000 of 16000001 bytes; no JSON"]);
  expect(cut.id).not.toBe(whole.id);
});

test("a filter lists the letters that match all its parts, oldest first, up to the limit", async () => {
  const { keep, settle, find, reader } = open();
  const [refused, unreadable, settled] = [
    letter({ domain: "listed", reason: "Out of range value" }),
    letter({ domain: "listed", stage: "message" }),
    letter({ domain: "listed" }),
  ];
  for (const one of [refused, unreadable, settled]) await keep(one);
  await settle(await find(settled), "discarded");
  const idsOf = async (filter: object, limit = 10) =>
    (await listLetters(reader, { domain: "listed", ...filter }, limit)).map(({ id }) => id);
  expect(await idsOf({ reason: "of range" })).toEqual([refused.id]);
  expect(await idsOf({ stage: "message", state: "open" })).toEqual([unreadable.id]);
  expect(await idsOf({ state: "discarded" })).toEqual([settled.id]);
  expect(await idsOf({ until: 0 })).toEqual([]);
  expect((await idsOf({})).toSorted()).toEqual([refused.id, unreadable.id, settled.id].toSorted());
  expect(await idsOf({ stage: "rejected" }, 1)).toHaveLength(1);
  // An earlier writer finds a letter of its event by this name.
  const stored = await reader.query("SELECT stage FROM dead_letters WHERE domain = 'listed' GROUP BY stage");
  expect(stored).toEqual(expect.arrayContaining([{ stage: "event" }, { stage: "message" }]));
  expect((await find(refused)).stage).toBe("rejected");
});

test("the newest letters come first and without their content, and each state is counted", async () => {
  const { keep, settle, find, reader } = open();
  const before = await countLetters(reader);
  const [first, second] = [letter({ domain: "newest" }), letter({ domain: "newest", stage: "message" })];
  for (const one of [first, second, letter({ domain: "x" })]) await keep(one);
  const newest = (filter: object, limit = 10) => newestLetters(reader, { domain: "newest", ...filter }, limit);
  const heads = [second, first].map(({ id }) => expect.objectContaining({ id, state: "open", reason: "why" }));
  expect(await newest({})).toEqual(heads);
  expect((await newest({})).some((head) => "body" in head)).toBe(false);
  expect(await newest({ stage: "rejected" })).toEqual([heads[1]]);
  expect(await newest({}, 1)).toEqual([heads[0]]);
  expect(await findLetterHead(reader, first.id)).toEqual(heads[1]);
  expect(await findLetterHead(reader, newEventId())).toBeUndefined();
  await settle(await find(first), "discarded");
  expect(await newest({ state: "open" })).toEqual([heads[0]]);
  const { open: openBefore, discarded } = before;
  expect(await countLetters(reader)).toEqual({ ...before, open: openBefore + 2, discarded: discarded + 1 });
});

test("the newest letters and the number of each state are found without reading the others, up to 10,000 of a state", async () => {
  const database = connect();
  await database.transaction(async (transaction) => {
    await transaction.execute("DELETE FROM dead_letters");
    const rows = Array.from({ length: 10_050 }, (_, n) => {
      const [domain, state] = n < 20 ? ["steps", "discarded"] : ["swipes", "open"];
      return [bytesOfEventId(newEventId()), domain, n % 500 === 0 ? "message" : "event", "q", "", "why", n, "x", state];
    });
    const columns = "id, domain, stage, queue, message_id, reason, died_at, body, state";
    await transaction.execute(`INSERT INTO dead_letters (${columns}) VALUES ?`, [rows]);
    await transaction.execute("ANALYZE TABLE dead_letters");
  });
  await database.snapshot("write", async (reader) => {
    const reads = async (): Promise<number> => {
      const counts = await reader.query<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'", []);
      return counts.reduce((sum, { Value }) => sum + Number(Value), 0);
    };
    for (const filter of [{}, { domain: "steps" }, { stage: "message" }, { state: "discarded" }] as const) {
      const before = await reads();
      expect(await newestLetters(reader, filter, 10)).toHaveLength(10);
      expect([filter, (await reads()) - before]).toEqual([filter, expect.toSatisfy((rows: number) => rows < 50)]);
    }
    expect(await countLetters(reader)).toEqual({ open: 10_000, parked: 0, replayed: 0, discarded: 20 });
  });
});
