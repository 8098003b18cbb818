// Runs in the page of a report and draws it with uPlot, which is included before.
/* global uPlot, document */
"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const colors = ["#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a"];

function plot(title, x, lines, options = {}) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  figure.append(caption);
  document.getElementById("plots").append(figure);
  const series = lines.map(([label], index) => ({
    label,
    stroke: colors[index % colors.length],
    width: 1.5,
    points: { show: x.length < 3 },
  }));
  const width = Math.max(280, Math.min(480, document.documentElement.clientWidth - 32));
  const drawn = new uPlot(
    {
      width,
      height: 220,
      scales: {
        x: { time: false, ...options.xScale },
        y: { range: (_plot, _low, high) => [0, (high || 1) * 1.05], ...options.yScale },
      },
      axes: [
        { label: options.xLabel ?? "seconds", values: options.xValues },
        { size: 60, label: options.yLabel },
      ],
      // For tests: the plot is drawn, with this number of lines.
      hooks: { draw: [() => (figure.dataset.drawn = String(lines.length))] },
      series: [{ label: options.xLabel ?? "second" }, ...series],
      legend: { live: false },
    },
    [x, ...lines.map(([, values]) => values)],
  );
  figure.append(drawn.root);
}

const { perSecond, observations, histogram } = report;
const seconds = perSecond.map((_, second) => second);
plot(
  "2xx a second",
  seconds,
  [
    ["accepted", perSecond.map(({ accepted }) => accepted)],
    ...(report.reads.requests > 0 ? [["reads", perSecond.map(({ read }) => read)]] : []),
    ["failed", perSecond.map(({ failed }) => failed)],
  ],
  { yLabel: "/s" },
);
plot(
  "Latency by second",
  seconds,
  [
    ["p50", perSecond.map(({ p50 }) => p50 ?? null)],
    ["p99", perSecond.map(({ p99 }) => p99 ?? null)],
  ],
  { yLabel: "ms" },
);
if (histogram.length > 0) {
  plot(
    "Latency by percentile",
    histogram.map((_, index) => index),
    [["latency", histogram.map(({ ms }) => ms)]],
    {
      yLabel: "ms",
      xLabel: "percentile",
      xValues: (_plot, splits) => splits.map((split) => histogram[split]?.percentile ?? ""),
    },
  );
}
if (observations.length > 1) {
  const at = observations.map(({ second }) => second);
  plot("Messages in the queues", at, [["waiting", observations.map(({ queued }) => queued)]], { yLabel: "messages" });
  const tiers = Object.keys(observations[0].cpuSeconds);
  plot(
    "Cores busy, by tier",
    at.slice(1),
    tiers.map((tier) => [
      tier,
      observations.slice(1).map((observation, index) => {
        const before = observations[index];
        return (
          (observation.cpuSeconds[tier] - before.cpuSeconds[tier]) / Math.max(0.001, observation.second - before.second)
        );
      }),
    ]),
    { yLabel: "cores" },
  );
  if (observations[0].stored !== null)
    plot("Events stored so far", at, [["stored", observations.map(({ stored }) => stored)]], { yLabel: "events" });
}
