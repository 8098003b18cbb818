import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { profiles } from "../profiles.ts";
import { costOf } from "./cost-of.ts";
import { costText } from "./cost-text.ts";
import { priceNamed, prices } from "@tally/prices";

test.each(profiles)("every part of profile $name has a price, and the lines add up", (profile) => {
  const { lines, usdPerMonth } = costOf(profile);
  for (const line of lines) expect(line.usdPerMonth).toBeGreaterThan(0);
  const sum = lines.reduce((total, line) => total + line.usdPerMonth, 0);
  expect(usdPerMonth).toBeCloseTo(sum, 6);
  expect(costText(profile)).toContain(usdPerMonth.toFixed(2));
});

test.each(profiles)("docs/deploy-aws.md has the cost of profile $name", (profile) => {
  const document = readFileSync(new URL("../../../../docs/deploy-aws.md", import.meta.url), "utf8");
  expect(document).toContain(`$${Math.round(costOf(profile).usdPerMonth).toLocaleString("en-US")}`);
});

test("three c7g.large for 730 hours cost 158.775", () => {
  const [small] = profiles;
  const apps = small === undefined ? [] : costOf(small).lines.filter(({ price }) => price === "c7g.large");
  expect(apps).toEqual([{ tier: "apps", price: "c7g.large", count: 3, usdPerMonth: expect.closeTo(158.775, 6) }]);
});

test("a type without a price is an error, not free", () => {
  expect(() => priceNamed("c9g.large")).toThrow("expected a price of c9g.large");
});

test("every price has a page of AWS and a date", () => {
  for (const { page, asOf } of Object.values(prices)) {
    expect(page).toMatch(/^https:\/\/aws\.amazon\.com\//);
    expect(asOf).toMatch(/^2026-\d\d-\d\d$/);
  }
});
