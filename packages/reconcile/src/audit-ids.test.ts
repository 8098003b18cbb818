import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { IdSet } from "./audit-ids.ts";

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
  expect([...set.unticked()].toSorted()).toEqual(
    ids
      .slice(0, 10)
      .map((id) => id.toString("hex"))
      .toSorted(),
  );
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
