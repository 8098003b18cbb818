import { expect, test } from "vitest";
import { BatchMarks } from "./batch-marks.ts";
import { randomBytes } from "node:crypto";
import { eventIdOfBytes } from "@tally/contract";
import { IdSet } from "./audit-ids.ts";

test("bit n of a producer, highest bit of a byte first, is its sequence n, also for large n", () => {
  const marks = new BatchMarks();
  const producer = Buffer.from("00112233445566ff", "hex");
  for (const sequence of [0, 9, 100_000]) marks.set(producer, sequence);
  const [[name, set] = ["", Buffer.alloc(0)], ...others] = [...marks.all()];
  expect(name).toBe("00112233445566ff");
  expect(others).toEqual([]);
  expect([set[0], set[1], set[12_500]]).toEqual([0b1000_0000, 0b0100_0000, 0b1000_0000]);
  expect(set.reduce((sum, byte) => sum + (byte === 0 ? 0 : 1), 0)).toBe(3);
});

test("columns that are not those of a batch are an error", () => {
  expect(() => new BatchMarks().set("00112233445566ff", 1)).toThrow("expected the columns producer and sequence");
});

test("ids are added once and ticked off once, while the set grows", () => {
  const ids = Array.from({ length: 20_000 }, () => randomBytes(16));
  const set = new IdSet();
  for (const id of ids) expect(set.add(id)).toBe(true);
  for (const id of ids) expect(set.add(id)).toBe(false);
  expect(set.size).toBe(ids.length);
  for (const id of ids.slice(10)) expect(set.tick(id)).toBe("ticked");
  expect(set.ticked).toBe(ids.length - 10);
  expect(set.tick(ids[10] ?? Buffer.alloc(16))).toBe("again");
  expect(set.tick(randomBytes(16))).toBe("unknown");
  const first = ids.slice(0, 10).map(eventIdOfBytes);
  expect([...set.unticked()].toSorted()).toEqual(first.toSorted());
});

test("ids that differ in one bit are different", () => {
  const set = new IdSet();
  for (let bit = 0; bit < 128; bit++) {
    const id = Buffer.alloc(16);
    id.writeUInt8(1 << (bit & 7), bit >> 3);
    expect(set.add(id)).toBe(true);
  }
  expect(set.size).toBe(128);
});
