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
  expect(groups.map(({ name, connections, startsAfter }) => [name, connections, startsAfter?.answers])).toEqual([
    ["east", 128, undefined],
    ["central", 128, 3 * 300],
    ["west", 256, 5 * 300],
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
