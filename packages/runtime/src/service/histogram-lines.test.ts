import { expect, test } from "vitest";
import { histogramLines } from "./histogram-lines.ts";

test("a histogram is written as prom-client writes it", () => {
  const metric = { name: "a_seconds", help: "Times", type: "histogram", labelNames: ["route"] };
  const series = [{ labels: { route: "/a" }, counts: [2, 0, 1], sum: 3.5 }];
  expect(histogramLines(metric, [0.1, 1], series)).toBe(
    [
      "# HELP a_seconds Times",
      "# TYPE a_seconds histogram",
      'a_seconds_bucket{route="/a",le="0.1"} 2',
      'a_seconds_bucket{route="/a",le="1"} 2',
      'a_seconds_bucket{route="/a",le="+Inf"} 3',
      'a_seconds_sum{route="/a"} 3.5',
      'a_seconds_count{route="/a"} 3',
      "",
    ].join("\n"),
  );
});
