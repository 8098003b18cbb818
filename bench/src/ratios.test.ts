import { expect, test } from "vitest";
import { ratios } from "./ratios.ts";
import { sampleReport } from "./report.fixture.ts";

test("ratios come with all in which the two runs were not alike, as far as the other one tells", () => {
  const ours = sampleReport();
  expect(ratios(ours, ours)).not.toContain("not alike");
  const { seed: _seed, ...older } = sampleReport({ domain: "albums", connections: 512, asked: { seconds: 30 } });
  const told = ratios(ours, JSON.parse(JSON.stringify(older))).split("\n");
  expect(told.filter((line) => line.startsWith("not alike"))).toEqual([
    'not alike: domain is "purchases" here, "albums" there',
    'not alike: asked is {"amount":100} here, {"seconds":30} there',
    "not alike: connections is 10 here, 512 there",
  ]);
});
