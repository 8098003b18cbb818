import { expect, test } from "vitest";
import { BatchMarks } from "./batch-marks.ts";

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
