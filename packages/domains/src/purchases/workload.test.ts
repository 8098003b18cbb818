import { expect, test } from "vitest";
import { workload } from "./workload.ts";

test("a quarter of the stores is in the east, a quarter in the centre, half in the west; each store is one connection with separate customers", () => {
  const groups = workload.source.runs[1]?.groups(1) ?? [];
  // When the first store of the east starts its 4th and its 6th hour.
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

test("a purchase has 5 items of 99,999, with quantity 1", () => {
  for (const { request } of workload.source.runs[0]?.groups(1) ?? []) {
    const [low, high] = [() => 0, () => 1 - 2 ** -31].map((random) => JSON.parse(String(request(0, 0, random).body)));
    const fiveOf = (ItemID: string) => Array.from({ length: 5 }, () => ({ ItemID, numberOfItems: 1 }));
    expect([low, high]).toEqual([{ items: fiveOf("1") }, { items: fiveOf("99999") }]);
  }
});
