import { expect, test } from "vitest";
import { sampleReport } from "./report.fixture.ts";
import { slowerThan } from "./throughput.ts";

const run = (ranked: number | null, accepted: number, reads = 0) =>
  sampleReport({
    ranked: { perSecond: ranked },
    accepted: { events: accepted, perSecond: accepted },
    reads: { requests: reads, perSecond: reads, latencyMs: null },
    at: "then",
  });

test.each([
  ["ranked events", run(90, 500), run(100, 100), "ranked /s 0.90"],
  ["accepted events where one of the two knows no rankings", run(null, 80), run(100, 100), "accepted /s 0.80"],
  ["reads where nothing else was sent", run(0, 0, 70), run(0, 0, 100), "reads /s 0.70"],
])("a run is judged by its %s", (_what, ours, theirs, judged) => {
  const share = Number(judged.slice(-4));
  expect(slowerThan(ours, theirs, share + 0.01)).toBe(`this run / batched, then: ${judged}, below ${share + 0.01}`);
  expect(slowerThan(ours, theirs, share)).toBeUndefined();
});

test("a run is too slow when the two have no figure in common, or the earlier one has no throughput", () => {
  expect(slowerThan(run(90, 90), run(0, 0, 9), 0.5)).toBe("this run / batched, then: throughput unknown, below 0.5");
  expect(slowerThan(run(90, 90), run(0, 90), 0.5)).toBe("this run / batched, then: ranked /s unknown, below 0.5");
});
