// Runs in a page of docs/results, after plots.js, and draws the runs over time: a line for each.
/* global document */
const { plot, redrawn } = globalThis.tallyPlots;
const { runs } = JSON.parse(document.getElementById("runs").textContent);
const container = document.getElementById("plots");

/** `pointsOf` returns the points of a run as a map from x to y. */
function plotRuns(title, pointsOf, options) {
  const points = runs.map(pointsOf);
  const x = [...new Set(points.flatMap((line) => [...line.keys()]))].toSorted((a, b) => a - b);
  if (x.length === 0) return;
  const lines = runs.map(({ label }, index) => [label, x.map((at) => points[index].get(at)), `run-${index + 1}`]);
  plot(container, title, x, lines, { ...options, spanGaps: true });
}

const bySecond =
  (name) =>
  ({ series }) =>
    new Map(series[name].flatMap((value, point) => (value === null ? [] : [[point * series.everySeconds, value]])));

redrawn(container, () => {
  const xLabel = "seconds of the run";
  plotRuns("Requests a second", bySecond("perSecond"), { xLabel, yLabel: "2xx/s" });
  plotRuns("p99 by second", bySecond("p99"), { xLabel, yLabel: "ms" });
  plotRuns("Messages in the queues", bySecond("queued"), { xLabel, yLabel: "messages" });
  const percentiles = runs[0]?.histogram.map(({ percentile }) => percentile) ?? [];
  plotRuns("POST by percentile", ({ histogram }) => new Map(histogram.map(({ ms }, index) => [index, ms])), {
    xLabel: "percentile",
    yLabel: "ms",
    xValues: (_plot, splits) => splits.map((split) => percentiles[split] ?? ""),
  });
});
