import type { Sources } from "@tally/contract";
import { expect, test } from "vitest";
import { parseOffset, parseWindow } from "./window.ts";

const noClocks: Pick<Sources, "readNewest" | "readKept"> = {
  readNewest: () => expect.fail(),
  readKept: () => undefined,
};
const parsed = (query: Parameters<typeof parseWindow>[1]) => parseWindow(noClocks, query);

test("a window is all time, one day, or the days from one to another, 366 at most", async () => {
  expect(await parsed({})).toEqual({ window: { by: "quantity" }, shown: { by: "quantity" } });
  expect(await parsed({ date: "20240229", by: "netSales" })).toEqual({
    window: { by: "netSales", days: [20240229] },
    shown: { from: "20240229", to: "20240229", by: "netSales" },
  });
  expect(await parsed({ from: "20240228", to: "20240301" })).toEqual({
    window: { by: "quantity", days: [20240228, 20240229, 20240301] },
    shown: { from: "20240228", to: "20240301", by: "quantity" },
  });
  expect((await parsed({ from: "20240101", to: "20241231" })).window.days).toHaveLength(366);
});

test.each([
  [{ date: "20240101", from: "20240101" }, "from: expected no such field beside date"],
  [{ date: "today", to: "20240101" }, "to: expected no such field beside date"],
  [{ to: "20240101" }, "from: expected a date beside to, got nothing"],
  [{ from: "20240102", to: "20240101" }, "to: expected a day from 20240102 on"],
  [{ from: "20240101", to: "20250101" }, "to: expected at most 366 days from 20240101 on"],
  [{ from: "20230229", to: "20240101" }, "from: expected a calendar date"],
  [{ from: "20240101", to: "tomorrow" }, "to: expected a calendar date"],
])("wrong days are named: %j", async (query, message) => {
  await expect(parsed(query)).rejects.toThrow(message);
});

test("a page starts at the 901st place at the latest", () => {
  expect([parseOffset(), parseOffset("900")]).toEqual([0, 900]);
  expect(() => parseOffset("901")).toThrow("offset: expected an integer from 0 to 900");
});
