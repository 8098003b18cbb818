// Runs in the page of a report and draws it with uPlot, which is included before.
/* global uPlot, document, getComputedStyle, matchMedia */
"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const { observations, histogram } = report;
// Reports of earlier versions have neither.
const { phases = [], before = [] } = report;
const loads = [...before, { begun: 0, perSecond: report.perSecond, observations }];
const span = [Math.min(0, ...phases.map(({ begun }) => begun)), Math.max(0, ...phases.map(({ ended }) => ended))];

/** The value of a variable of page.css: a canvas cannot use them itself. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** A band behind the lines for each phase, with its name where it fits. */
function drawPhases(drawn) {
  const { ctx, bbox } = drawn;
  ctx.save();
  ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  for (const { name, begun, ended } of phases) {
    const left = drawn.valToPos(begun, "x", true);
    const width = drawn.valToPos(ended, "x", true) - left;
    ctx.fillStyle = colour(name);
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.fillStyle = colour("quiet");
    const space = 4 * uPlot.pxRatio;
    if (ctx.measureText(name).width + 2 * space <= width) ctx.fillText(name, left + space, bbox.top + space);
  }
  ctx.restore();
}

/** `lines`: label, values, and the variable of page.css that has the colour of this meaning. */
function plot(title, x, lines, options = {}) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  figure.append(caption);
  document.getElementById("plots").append(figure);
  const series = lines.map(([label, , meaning]) => ({
    label,
    stroke: colour(meaning),
    width: 1.5,
    points: { show: x.length < 3 },
  }));
  const axis = {
    stroke: colour("quiet"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line") },
  };
  const width = Math.max(280, Math.min(480, document.documentElement.clientWidth - 32));
  const drawn = new uPlot(
    {
      width,
      height: 220,
      scales: {
        x: { time: false, ...options.xScale },
        // The highest value leaves room for the names of the phases.
        y: { range: (_plot, _low, high) => [0, (high || 1) * 1.15] },
      },
      axes: [
        { ...axis, label: options.xLabel ?? "seconds of the measured load", values: options.xValues },
        { ...axis, size: 60, label: options.yLabel },
      ],
      hooks: {
        drawClear: options.isTime === false ? [] : [drawPhases],
        // For tests: the plot is drawn, with this number of lines.
        draw: [() => (figure.dataset.drawn = String(lines.length))],
      },
      series: [{ label: options.xLabel ?? "second" }, ...series],
      legend: { live: false },
    },
    [x, ...lines.map(([, values]) => values)],
  );
  figure.append(drawn.root);
}

const overTime = { xScale: phases.length > 0 ? { range: () => span } : {} };

/** The seconds of all loads, and a function that returns a value of each. A null after each load keeps two loads apart. */
function seconds() {
  const justAfter = 0.001;
  return {
    x: loads.flatMap(({ begun, perSecond }) => [
      ...perSecond.map((_, second) => begun + second),
      begun + Math.max(0, perSecond.length - 1) + justAfter,
    ]),
    of: (value) => loads.flatMap(({ perSecond }) => [...perSecond.map((one) => value(one) ?? null), null]),
  };
}

function drawAll() {
  document.getElementById("plots").replaceChildren();
  const { x, of } = seconds();
  plot(
    "2xx a second",
    x,
    [
      ["accepted", of(({ accepted }) => accepted), "accepted"],
      ...(report.reads.requests > 0 ? [["reads", of(({ read }) => read), "reads"]] : []),
      ["failed", of(({ failed }) => failed), "failed"],
    ],
    { yLabel: "/s", ...overTime },
  );
  plot(
    "Latency by second",
    x,
    [
      ["p50", of(({ p50 }) => p50), "p50"],
      ["p99", of(({ p99 }) => p99), "p99"],
    ],
    { yLabel: "ms", ...overTime },
  );
  if (histogram.length > 0) {
    plot(
      "Latency by percentile",
      histogram.map((_, index) => index),
      [["latency", histogram.map(({ ms }) => ms), "p50"]],
      {
        isTime: false,
        yLabel: "ms",
        xLabel: "percentile",
        xValues: (_plot, splits) => splits.map((split) => histogram[split]?.percentile ?? ""),
      },
    );
  }
  if (observations.length > 1) drawObservations();
}

function drawObservations() {
  const all = loads.flatMap((load) => load.observations);
  const at = all.map(({ second }) => second);
  const waiting = all.map(({ queued }) => queued);
  plot("Messages in the queues", at, [["waiting", waiting, "waiting"]], { yLabel: "messages", ...overTime });
  plot(
    "Cores busy, by tier",
    at.slice(1),
    Object.keys(observations[0].cpuSeconds).map((tier) => [tier, coresOf(tier, all), tier]),
    { yLabel: "cores", ...overTime },
  );
  if (observations[0].stored === null) return;
  const stored = all.map((one) => one.stored - all[0].stored);
  plot("Events stored so far", at, [["stored", stored, "stored"]], { yLabel: "events", ...overTime });
}

function coresOf(tier, all) {
  return all.slice(1).map((one, index) => {
    const previous = all[index];
    const spent = one.cpuSeconds[tier] - previous.cpuSeconds[tier];
    return spent / Math.max(0.001, one.second - previous.second);
  });
}

drawAll();
// A canvas keeps the colours with which it was drawn. Paper has the light ones.
for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", drawAll);
