import { keyedRead } from "@tally/contract";
import { expect, onTestFinished, test, vi } from "vitest";
import { keptReads as readsKept } from "./kept-reads.ts";

const names = keyedRead<readonly [id: number], { readonly name: string | undefined }, string | undefined>({
  select: "",
  keysMax: 1,
  ofRows: ([row]) => row?.name,
});

/** Reads `values`, which may change. */
function keptReads(values: Map<number, string | Promise<string>>) {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const read: number[] = [];
  const readKept = readsKept({
    keptMs: 50,
    keysMax: 2,
    waitMs: 20,
    read: async (what, key) => {
      const id = Number(key[0]);
      read.push(id);
      return what.ofRows([{ name: await values.get(id) }], key);
    },
  });
  return { read, nameOf: async (id: number) => readKept(names, [id]) };
}

test("a value is read once in a while, also one that is not there, for any number of readers", async () => {
  const values = new Map([[1, "Tea"]]);
  const { read, nameOf } = keptReads(values);
  expect(await Promise.all([nameOf(1), nameOf(1), nameOf(2)])).toEqual(["Tea", "Tea", undefined]);
  values.set(1, "Green tea");
  expect([await nameOf(1), await nameOf(2), read]).toEqual(["Tea", undefined, [1, 2]]);
  vi.advanceTimersByTime(50);
  expect([await nameOf(1), read]).toEqual(["Green tea", [1, 2, 1]]);
});

test("the keys that were read last are kept", async () => {
  const { read, nameOf } = keptReads(new Map());
  for (const id of [1, 2, 3, 3, 2, 1]) await nameOf(id);
  expect(read).toEqual([1, 2, 3, 1]);
  vi.advanceTimersByTime(50);
  for (const id of [3, 2, 3]) await nameOf(id);
  expect(read.slice(4)).toEqual([3, 2]);
});

test("what is not asked for is forgotten, and what is asked for stays while reads fail", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const values = new Map<number, string | Promise<string>>([
    [1, "Tea"],
    [2, "Coffee"],
  ]);
  const { nameOf } = keptReads(values);
  expect([await nameOf(1), await nameOf(2)]).toEqual(["Tea", "Coffee"]);
  const down = () => Promise.reject(new Error("the database is down"));
  values.set(2, down());
  for (let times = 1; times <= 12; times++) {
    vi.advanceTimersByTime(50);
    expect(await nameOf(2)).toBe("Coffee");
  }
  values.set(1, down());
  expect(await nameOf(1)).toBeUndefined();
});

test("a read that fails or takes long costs a moment once, and leaves the value before", async () => {
  const late = Promise.withResolvers<string>();
  const values = new Map<number, string | Promise<string>>([[1, "Tea"]]);
  const { read, nameOf } = keptReads(values);
  expect(await nameOf(1)).toBe("Tea");
  vi.advanceTimersByTime(50);
  values.set(1, Promise.reject(new Error("the database is down")));
  values.set(2, late.promise);
  expect([await nameOf(1), await nameOf(2)]).toEqual(["Tea", undefined]);
  expect([await nameOf(1), await nameOf(2), read]).toEqual(["Tea", undefined, [1, 1, 2]]);
  late.resolve("Coffee");
  await expect.poll(() => nameOf(2)).toBe("Coffee");
});
