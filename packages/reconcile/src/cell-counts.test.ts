import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { BatchCounts } from "./batch-counts.ts";
import { BoardCounts, byOfCount, CellCounts, entriesOf } from "./cell-counts.ts";

test("cells add up by member and by key, for any integers, while the tables grow; cells of 0 are left out", () => {
  const keys = [0, 1, 2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER];
  for (let n = 0; n < 5000; n++) keys.push(randomInt(2 ** 20) * 2 ** randomInt(33));
  const counts = new CellCounts();
  const expected = new Map<string, number>();
  const touched = new Set<string>();
  for (const key of [...keys, ...keys]) {
    for (const member of [0, 7, Number.MAX_SAFE_INTEGER - 1]) {
      const before = expected.get(`${member} ${key}`) ?? 0;
      const by = randomInt(3) === 0 ? -before : (randomInt(2) * 2 - 1) * randomInt(member === 7 ? 2 ** 40 : 1_000_000);
      counts.add(member, [[key, by]], byOfCount);
      if (by !== 0) touched.add(`${member} ${key}`);
      expected.set(`${member} ${key}`, before + by);
    }
  }
  expect(counts.size).toBe(touched.size);
  const entries = [
    [1, 5],
    [1, -5],
  ];
  counts.add(9, entries, byOfCount);
  expect([...counts.byMember("")].map(({ board }) => board)).not.toContain("9");
  for (const [cell, count] of expected) if (count === 0) expected.delete(cell);
  const byMember = [...counts.byMember("")].flatMap(({ board, cells }) =>
    cells.map(([key, n]) => [`${board} ${key}`, n]),
  );
  expect(expected.size).toBeLessThan(counts.size);
  expect(byMember.length).toBe(expected.size);
  expect(Object.fromEntries(byMember)).toEqual(Object.fromEntries(expected));
  // One part; one copy of several parts; two copies; eight.
  for (const cellsOfPart of [undefined, 1000, 50, 1]) {
    const boards = [...counts.byKey("", cellsOfPart)];
    expect(new Set(boards.map(({ board }) => board)).size).toBe(boards.length);
    const cells = boards.flatMap(({ board, cells: own }) => own.map(([member, n]) => [`${member} ${board}`, n]));
    expect(cells.length).toBe(expected.size);
    expect(Object.fromEntries(cells)).toEqual(Object.fromEntries(expected));
  }
});

test.each([false, true])("all counts of two are moved into the larger one, the first: %s", (isFirst) => {
  const parts = [new CellCounts(), new CellCounts()] as const;
  const whole = new CellCounts();
  for (let n = 0; n < 20_000; n++) {
    const [member, entries] = [randomInt(40), [[randomInt(2000), randomInt(-2, 3)]]];
    // Most counts of some members are in one part, most of the others in the other one.
    parts[randomInt(40) < member ? 1 : 0].add(member, entries, byOfCount);
    whole.add(member, entries, byOfCount);
  }
  parts[1].add(99, [[1, 1]], byOfCount);
  whole.add(99, [[1, 1]], byOfCount);
  const sortedOf = (counts: CellCounts) =>
    [...counts.byMember("")].flatMap(({ board, cells }) => cells.map((cell) => [board, ...cell].join(" "))).toSorted();
  const expected = sortedOf(whole);
  const larger = parts[0].size < parts[1].size ? parts[1] : parts[0];
  const other = larger === parts[0] ? parts[1] : parts[0];
  const merged = isFirst ? CellCounts.merged(larger, other) : CellCounts.merged(other, larger);
  expect(merged).toBe(larger);
  expect(sortedOf(merged)).toEqual(expected);
  expect(merged.size).toBeGreaterThanOrEqual(expected.length);
  expect(merged.size).toBeLessThanOrEqual(whole.size);
  expect(parts.filter((part) => part !== merged).map(sortedOf)).toEqual([[]]);
});

test("boards have the counts of members that are numbers or texts, none of 0", () => {
  const counts = new BoardCounts();
  const added = [
    [7, 2],
    ["0a", 1],
    [8, 1],
    [7, -1],
    ["0b", 1],
    [8, -1],
    ["0b", -1],
    [9, 0],
  ] as const;
  for (const [member, by] of added) counts.add("likes", member, by);
  counts.add("none", 1, 0);
  const [{ board, cells } = { board: "", cells: [] }, ...others] = [...counts.all()];
  expect([board, Object.fromEntries(cells), others]).toEqual(["likes", { 7: 1, "0a": 1 }, []]);
  expect(() => counts.add("likes", 1, "1")).toThrow("expected a text and an integer");
  expect(() => counts.add(5, 1, 1)).toThrow("expected a text and an integer");
});

test.each([1, -1])("a count stops at 2^53 - 1, times %i", (sign) => {
  const counts = new CellCounts();
  for (const by of [2, 2 ** 60, 2]) counts.add(1, [[7, sign * by]], byOfCount);
  expect([...counts.byKey("")]).toEqual([{ board: "7", cells: [[1, sign * (2 ** 53 - 1)]] }]);
});

test("a board is whole also when the keys of millions of cells are read in parts", () => {
  const counts = new CellCounts();
  for (let key = 0; key < 550_000; key++)
    for (const member of [1, 2]) counts.add(member, [[key * 3, key + member]], byOfCount);
  let boards = 0;
  for (const { board, cells } of counts.byKey("")) {
    boards++;
    const key = Number(board) / 3;
    if (cells.length !== 2 || cells[0]?.[1] !== key + 1 || cells[1]?.[1] !== key + 2)
      expect.fail(`${board}: ${cells.join()}`);
  }
  expect(boards).toBe(550_000);
});

test.each([
  ["1", [[1, 1]]],
  [-1, [[1, 1]]],
  [1, null],
  [1, [1]],
  [1, [["1", 1]]],
  [1, [[2 ** 53, 1]]],
  [1, [[1, 1.5]]],
])("member %j with %j is an error", (member, counts) => {
  expect(() => new CellCounts().add(member, entriesOf(JSON.stringify(counts)), byOfCount)).toThrow(TypeError);
});

test("the rows of batches are taken once; what is not taken remains", () => {
  const [one, other] = [Buffer.alloc(8, 1), Buffer.alloc(8, 2)];
  const counts = new BatchCounts();
  for (const [producer, sequence] of [
    [one, 3],
    [other, 100_000],
    // The largest one.
    [other, 2 ** 26 - 1],
    [one, 3],
    [one, 0],
  ] as const)
    counts.add(producer, sequence, 1);
  expect(counts.rows).toBe(5);
  expect([counts.take(one, 3), counts.take(one, 3), counts.take(one, 9_999_999)]).toEqual([2, 0, 0]);
  expect([...counts.rest()]).toEqual([
    ["0101010101010101", 0, 1],
    ["0202020202020202", 100_000, 1],
    ["0202020202020202", 2 ** 26 - 1, 1],
  ]);
  expect(() => counts.add("01", 1, 1)).toThrow("expected the columns producer and sequence");
});
