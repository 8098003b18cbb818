import { serialize } from "node:v8";
import type { Domain } from "@tally/contract";
import { expect, test, vi } from "vitest";
import { BatchMarks } from "./batch-marks.ts";
import { FoldedRows, type KeptReading } from "./folded-rows.ts";
import { storedSales } from "./stored-sales.test-kit.ts";

const { database, open } = storedSales(["resumed", "stray"]);

const warn = vi.fn<(text: string) => void>();

/** `endAfter`: the save after which the process ends. */
function keptReading(state: Buffer | undefined, endAfter = Infinity) {
  const saved: Buffer[] = [];
  const save = async (one: Buffer): Promise<void> => {
    if (saved.push(one) === endAfter) throw new Error("interrupted");
  };
  return { load: async () => state, save, warn, everyMs: 0, saved } satisfies KeptReading & { saved: Buffer[] };
}

/** Reads few rows at a time. */
function inSmallRanges(domain: Domain): Domain {
  const boards = domain.recount.boards.map((kind) =>
    "mirrored" in kind ? { ...kind, rows: kind.rows.map((rows) => ({ ...rows, first: 5 })) } : kind,
  );
  return { ...domain, recount: { ...domain.recount, boards } };
}

test("a full audit that was interrupted goes on where it was, whatever was stored and folded meanwhile", async () => {
  const { domain, store, foldAll, audit, table } = await open("resumed");
  const auditFrom = (kept?: KeptReading) =>
    audit({ isFull: true, domain: inSmallRanges(domain), ...(kept && { keptReading: kept }) });
  const idOf = async (which: string) => {
    const [row] = await database.writer.query<{ id: number }>(`SELECT ${which} AS id FROM ${table}`);
    return row?.id ?? expect.fail();
  };
  const firstId = 1001;
  await store(40);
  await foldAll();
  await database.writer.query(`UPDATE ${table} SET id = id + ${firstId - 1} ORDER BY id DESC`);
  const lastId = await idOf("MAX(id)");
  await store(3);
  let state: Buffer | undefined;
  for (const endAfter of [2, 2]) {
    const kept = keptReading(state, endAfter);
    await expect(auditFrom(kept)).rejects.toThrow("interrupted");
    state = kept.saved.at(-1);
    await store(10);
    await foldAll();
    await store(3);
  }
  // Half of the later rows are before the place.
  await database.writer.query(`UPDATE ${table} SET id = id - ${firstId - 1} WHERE id > ${lastId} AND id % 2 = 0`);
  expect(await auditFrom(keptReading(state))).toMatchObject({ agrees: true });
  expect(await auditFrom()).toMatchObject({ agrees: true });
  const agreeWithout = async (id: number, kept?: KeptReading) => {
    const replace = (from: string, to: string) =>
      database.writer.query(`UPDATE ${table} SET items = REPLACE(items, '${from}', '${to}') WHERE id = ${id}`);
    await replace("[[", "[[1,1000],[");
    const { agrees } = await auditFrom(kept);
    await replace("[[1,1000],[", "[[");
    return agrees;
  };
  // A row before the place was read, others are read now.
  expect(await agreeWithout(firstId)).toBe(false);
  expect(await agreeWithout(firstId, keptReading(state))).toBe(true);
  for (const which of [`${lastId}`, `MIN(IF(id > ${lastId}, id, NULL))`, "MIN(id)", "MAX(id)"])
    expect([which, await agreeWithout(await idOf(which), keptReading(state))]).toEqual([which, false]);
  expect(warn).not.toHaveBeenCalled();
});

test("nothing is kept once a row is of no known batch: the audit that goes on would not see it", async () => {
  const { domain, store, foldAll, audit, table } = await open("stray");
  await store(20);
  await foldAll();
  await database.writer.query(`UPDATE ${table} SET sequence = 5000 WHERE id = 6`);
  const kept = keptReading(undefined);
  warn.mockClear();
  const { agrees, batches } = await audit({ isFull: true, domain: inSmallRanges(domain), keptReading: kept });
  expect({ agrees, saves: kept.saved.length }).toEqual({ agrees: false, saves: 2 });
  expect(warn.mock.calls).toEqual([["a row is of no known batch: keeps nothing from here on"]]);
  expect(batches.miscounted.first).toContainEqual(expect.objectContaining({ ledger: 0, rows: 1 }));
});

const marks = (...sequences: readonly number[]) =>
  BatchMarks.of(sequences.map((sequence) => ({ producer: "00000000000000aa", sequence })));

const begunFrom = { domain: "sales", steps: "", folded: marks(1, 2), ledger: marks(7) };

async function interrupted(): Promise<Buffer> {
  const begun = keptReading(undefined);
  const rows = await FoldedRows.open(begun, begunFrom);
  rows.add(7, [[1, 1]], [{ name: "", by: () => 1 }]);
  await rows.reached({ table: 0, value: 9 });
  return begun.saved.at(-1) ?? expect.fail();
}

test("a reading goes on with the rows that it has begun with, those of later batches are found by an index", async () => {
  const from = { ...begunFrom, folded: marks(1, 2, 3, 7), ledger: marks(8) };
  const { place, rows, batches, later } = await FoldedRows.open(keptReading(await interrupted()), from);
  expect({ place, rows }).toEqual({ place: { table: 0, value: 9 }, rows: 1 });
  const producer = "00000000000000aa";
  expect({ batches: [...batches.runs()], later: [...later.runs()] }).toEqual({
    batches: [[producer, 1, 2]],
    later: [
      [producer, 3, 3],
      [producer, 7, 7],
    ],
  });
});

test("a reading begins again when rows were moved", async () => {
  warn.mockClear();
  const { place, rows } = await FoldedRows.open(keptReading(await interrupted()), {
    ...begunFrom,
    steps: "2026-01 moving",
  });
  expect({ place, rows, warned: warn.mock.calls.length }).toEqual({ place: undefined, rows: 0, warned: 1 });
});

test.each([
  ["of another domain", { domain: "other" }],
  ["with other folded batches", { folded: marks(1, 3) }],
  ["with a batch that has left the ledger", { ledger: marks(8) }],
])("the reading of an audit %s is an error, and stays as it is", async (_, from) => {
  const kept = keptReading(await interrupted());
  const opened = FoldedRows.open(kept, { ...begunFrom, ...from });
  await expect(opened).rejects.toThrow("--resume: expected a file with batches of this database, or none");
  expect(kept.saved).toEqual([]);
});

test.each([Buffer.from("storeID,custID\n"), serialize({ format: "another" }), Buffer.alloc(0)])(
  "another file is an error, and stays as it is",
  async (text) => {
    const kept = keptReading(text);
    const opened = FoldedRows.open(kept, begunFrom);
    await expect(opened).rejects.toThrow(
      "--resume: expected a file that an interrupted audit of this release has kept",
    );
    expect(kept.saved).toEqual([]);
  },
);
