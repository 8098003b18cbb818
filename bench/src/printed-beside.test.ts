import { expect, test } from "vitest";
import { printedBeside } from "./printed-beside.ts";
import { sampleReport } from "./report.fixture.ts";

const latency = { mean: 1, min: 1, p50: 2, p95: 3, p999: 5, max: 6 };

test("each printed row is compared with our requests until all was ranked and the p99 of its method", () => {
  // 100 events and 300 reads: 400 requests by the time in which 100 events were ranked, at 500 a second.
  const report = sampleReport({
    accepted: { events: 100, perSecond: 900 },
    ranked: { perSecond: 500 },
    latencyMs: { ...latency, p99: 25 },
    reads: { requests: 300, perSecond: 2700, latencyMs: { ...latency, p99: 90 } },
  });
  const printed = [
    { description: "POST", perSecond: 1600, p99Ms: 100 },
    { description: "GET", perSecond: 1600, p99Ms: 60, method: "GET" },
    { description: "not printed", perSecond: 4000, p99Ms: null },
  ] as const;
  expect(printedBeside("a run", printed, report)).toEqual([
    "| a run | POST | 1600 | 2000 | 1.25 | 100 | 25.0 | 0.250 |",
    "| a run | GET | 1600 | 2000 | 1.25 | 60 | 90.0 | 1.500 |",
    "| a run | not printed | 4000 | 2000 | 0.50 | - | 25.0 | - |",
  ]);
});

test("a rate of accepted events is marked where not all were ranked", () => {
  const printed = [{ description: "theirs", perSecond: 100, p99Ms: null }];
  const rowOf = (ranked: number | null) =>
    printedBeside(
      "run",
      printed,
      sampleReport({ accepted: { events: 900, perSecond: 300 }, ranked: { perSecond: ranked } }),
    );
  expect(rowOf(200)[0]).toContain("| 100 | 200 | 2.00 |");
  expect(rowOf(null)[0]).toContain("| 100 | 300 (accepted) | 3.00 |");
});
