import { randomInt } from "node:crypto";
import { type BatchEvent, type Event, eventIdOfKey, Moves, newEventId, onlyAllTime } from "@tally/contract";
import type { RowRanges, Sources, SqlSnapshot } from "@tally/contract";
import { withUnmoved } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { readTables } from "@tally/reconcile";
import { expect, test } from "vitest";
import { purchases, purchasesDatabase, sumsIn } from "../retention/old-purchases.test-kit.ts";

const database = purchasesDatabase().connect();
const day = 20261120;
const busyStore = 2 ** 40 + 1;
const items = [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1];

/** Any purchase of a few stores and items: some with an id that is not in the order of time. */
function purchase(n: number) {
  const lines = Array.from({ length: 1 + randomInt(3) }, () => [items[randomInt(items.length)] ?? 0, 1 + randomInt(9)]);
  const id = n % 3 === 0 ? eventIdOfKey("recount", String(n)) : newEventId();
  const storeId = n % 2 === 0 ? busyStore : randomInt(3);
  return { id, storeId, customerId: n, date: day, lines };
}

// More than one range of an audit, and several portions of a store's day.
const batches = 45;
const eventsOfBatch = 500;

test("what audit and rebuild read of any purchases equals what rank() adds, and so does the day of a store", async () => {
  const moves = new Moves();
  const expected = new Map<string, number>();
  const add = (cell: string, by: number) => expected.set(cell, (expected.get(cell) ?? 0) + by);
  for (let sequence = 0; sequence < batches; sequence++) {
    const batch = { producer: `000000000000000${sequence % 3}`, sequence };
    const events: BatchEvent[] = Array.from({ length: eventsOfBatch }, (_, n) => ({
      event: purchase(sequence * eventsOfBatch + n),
      batch,
    }));
    const changes = await database.transaction((transaction) =>
      purchases.store.write(transaction, events, () => expect.fail()),
    );
    purchases.rank(changes, moves, onlyAllTime);
    add(`batch ${batch.producer} ${sequence}`, changes.length);
    add(`day ${day}`, changes.length);
  }
  for (const [, members] of moves.mirrored()) {
    for (const [member, moved] of members) {
      for (let at = 0; at < moved.length; at += 2) {
        add(`store ${member} ${moved[at]}`, Number(moved[at + 1]));
        add(`item ${moved[at]} ${member}`, Number(moved[at + 1]));
      }
    }
  }
  const sums = await withUnmoved(database, "write", purchases, (snapshot) => sumsIn(snapshot, "batches"));
  expect(sums).toEqual(Array.from(expected, ([cell, count]) => `${cell} ${count}`).toSorted());

  const query = purchases.queries.find(({ path }) => path === "/stores/:storeID/top-items");
  if (query?.kind !== "query") throw new Error("purchases have no route of a store's items");
  await database.transaction((transaction) =>
    transaction.execute(`INSERT INTO batches (producer, sequence, domain, body_hash, events, changes, refused, stored_at)
      SELECT DISTINCT producer, sequence, 'purchases', '', 1, 1, 0, 0 FROM purchases`),
  );
  const sources: Sources = {
    rows: database.writer,
    boards: { top: () => expect.fail(), count: () => expect.fail(), whole: () => expect.fail() },
    read: async (what, key) => what.ofRows(await database.writer.query(what.select, what.values?.(key)), key),
    readNewest: () => expect.fail(),
    readKept: () => undefined,
    stream: () => expect.fail(),
    find: () => expect.fail(),
  };
  const request = { params: { storeID: String(busyStore) }, query: { date: String(day), limit: "4" } };
  const best = items
    .map((itemID) => ({ itemID, quantity: expected.get(`store ${busyStore} ${itemID}`) ?? 0 }))
    .toSorted((a, b) => b.quantity - a.quantity || a.itemID - b.itemID);
  expect(await query.respond(request, sources)).toMatchObject({ storeID: busyStore, items: best.slice(0, 4) });
});

const numbers = [0, 1, 7, 2 ** 40, 2 ** 53 - 1];
const anyNumber = () => numbers[randomInt(numbers.length)];
const isOdd = () => randomInt(2) === 1;
const albums = Array.from({ length: 30 }, () => newEventId());
const [nowMs, nil] = [Date.now(), "00000000-0000-0000-0000-000000000000"];

const eventOf: Readonly<Record<string, (n: number) => object>> = {
  swipes: () => ({ swiper: anyNumber(), swipee: anyNumber(), liked: isOdd(), at: nowMs + randomInt(9), comment: "" }),
  steps: () => ({ userId: anyNumber(), day: randomInt(3), hour: 1, steps: randomInt(9) }),
  liftrides: (n) => ({
    resort: "Öre",
    season: 2025,
    day: randomInt(3),
    skierId: isOdd() ? anyNumber() : null,
    minute: n,
    liftId: randomInt(9),
  }),
  albums: (n) =>
    n < albums.length
      ? {
          kind: "album",
          id: albums[n],
          artist: "",
          title: "",
          year: "",
          imageType: "image/png",
          image: Buffer.alloc(9),
        }
      : { kind: "review", albumId: albums[randomInt(albums.length)], liked: isOdd() },
};

// Rows that do not follow from the events.
const breakRows: Readonly<Record<string, string>> = {
  swipes: "UPDATE swipe_pairs SET taken_at = taken_at - 1000",
  albums: "INSERT INTO album_images (album_id, part, bytes) SELECT id, 7, 'x' FROM album_reviews",
  liftrides: "UPDATE lift_rides SET minute = minute + 1",
};

const tested = domains.filter(({ name }) => name !== purchases.name);
const others = ownDatabase(...tested.map(({ migrations, name }) => [migrations, name] as const)).connect();

const textOf = (row: readonly unknown[]) =>
  JSON.stringify(row.map((one) => (Buffer.isBuffer(one) ? one.toString("hex") : one)));

// A member is text in Redis, and a number in most tables.
const cellOf = (board: unknown, member: unknown) => textOf([board, member]).replaceAll('"', "");

async function readIn(snapshot: SqlSnapshot, ranges: readonly RowRanges[], first: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const own = ranges.map((one) => ({ ...one, first }));
  for await (const rows of readTables(snapshot, own)) lines.push(...rows.map(textOf));
  return lines.toSorted();
}

test.each(tested)("what audit and rebuild read of $name, range by range, equals what rank() adds", async (domain) => {
  const moves = new Moves();
  for (let sequence = 0; sequence < 4; sequence++) {
    const batch = { producer: "00".repeat(8), sequence };
    const events = Array.from({ length: 50 }, (_, n): BatchEvent => {
      const event: Event = {
        id: n === 49 && sequence === 3 ? nil : newEventId(),
        ...eventOf[domain.name]?.(sequence * 50 + n),
      };
      return { event, batch };
    });
    const changes = await others.transaction((transaction) =>
      domain.store.write(transaction, events, () => expect.fail()),
    );
    domain.rank(changes, moves, onlyAllTime);
  }
  const { boards, ids, contradictions = [] } = domain.recount;
  const rows = boards.flatMap((kind) => kind.rows);
  const wrong = breakRows[domain.name];
  if (wrong !== undefined) await others.transaction((transaction) => transaction.execute(wrong));
  await others.snapshot("write", async (snapshot) => {
    for (const ranges of [rows, ids, contradictions])
      expect(await readIn(snapshot, ranges, 1)).toEqual(await readIn(snapshot, ranges, 10_000));
    expect(await readIn(snapshot, ids, 10_000)).toHaveLength(200);
    expect((await readIn(snapshot, contradictions, 1)).length > 10).toBe(wrong !== undefined);
    const sums = new Map<string, number>();
    let ofBatches = 0;
    for await (const some of readTables(snapshot, rows)) {
      for (const [board, member, by, producer] of some) {
        if (producer !== null) ofBatches++;
        if (board === null || member === null) continue;
        const cell = cellOf(board, member);
        sums.set(cell, (sums.get(cell) ?? 0) + Number(by));
      }
    }
    expect(ofBatches).toBe(200);
    const ranked = [...moves.boards()].flatMap(([board, members]) =>
      [...members].map(([member, by]) => [cellOf(board, member), by] as const),
    );
    const nonZero = (cells: Iterable<readonly [string, number]>) =>
      Object.fromEntries([...cells].filter(([, count]) => count !== 0));
    expect(nonZero(sums)).toEqual(nonZero(ranked));
  });
});
