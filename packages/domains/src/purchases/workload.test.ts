import { expect, test } from "vitest";
import { workload } from "./workload.ts";

const total = (run: number, scale: number): number =>
  (workload.source.runs[run]?.groups(scale) ?? []).reduce(
    (sum, { connections, requestsOfEach }) => sum + connections * requestsOfEach,
    0,
  );

test("the source's load has exactly as many purchases as the contract's formula says", () => {
  expect([total(0, 1), total(1, 1)]).toEqual([256 * 2700, 512 * 2700]);
  expect([total(0, 0.1), total(1, 0.1)]).toEqual([256 * 270, 512 * 270]);
});

test("a quarter of the stores is in the east, a quarter in the centre, half in the west, each store one connection with its own customers", () => {
  const groups = workload.source.runs[1]?.groups(1) ?? [];
  // When the first store of the east begins its 4th hour, and its 6th.
  const firstOfEast = { group: "east", connections: 1 };
  expect(groups.map(({ name, connections, startsAfter }) => [name, connections, startsAfter])).toEqual([
    ["east", 128, undefined],
    ["central", 128, { ...firstOfEast, responses: 3 * 300 }],
    ["west", 256, { ...firstOfEast, responses: 5 * 300 }],
  ]);
  const stores = groups.flatMap(({ connections, request }) =>
    Array.from({ length: connections }, (_, connection) => {
      const { path } = request(connection, 0, () => 0.9999);
      const [, store = "", customer = ""] = /^\/purchase\/(\d+)\/customer\/(\d+)\//.exec(path) ?? [];
      expect(Number(customer)).toBe(Number(store) * 1000 + 999);
      return Number(store);
    }),
  );
  expect(new Set(stores).size).toBe(512);
  expect([Math.min(...stores), Math.max(...stores)]).toEqual([1, 512]);
});

test("a purchase is one piece each of 5 items out of 99,999", () => {
  for (const { request } of workload.source.runs[0]?.groups(1) ?? []) {
    const [low, high] = [() => 0, () => 1 - 2 ** -31].map((random) => JSON.parse(String(request(0, 0, random).body)));
    const fiveOf = (ItemID: string) => Array.from({ length: 5 }, () => ({ ItemID, numberOfItems: 1 }));
    expect([low, high]).toEqual([{ items: fiveOf("1") }, { items: fiveOf("99999") }]);
  }
});
