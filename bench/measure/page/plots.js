// Runs in a page and draws plots with uPlot, which is included before. Each function appends figures to a container. A run is a report of the
// bench; those of an earlier bench lack some fields. Needs the variables of page.css.
/* global uPlot, document, getComputedStyle, matchMedia */
globalThis.tallyPlots = {
  colour,
  redrawn,
  frame,
  axisOf,
  plot,
  throughput,
  latencyBySecond,
  percentiles,
  cdf,
  observed,
};

/** The value of a variable of page.css: a canvas cannot use them itself. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls `draw` now, and again when the colours change: a canvas keeps those with which it was drawn. Paper has the light ones. */
function redrawn(container, draw) {
  const again = () => {
    container.replaceChildren();
    draw();
  };
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", again);
  again();
}

/** Appends a figure with its caption. */
function frame(container, title) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  figure.append(caption);
  container.append(figure);
  return { figure, width: Math.max(280, Math.min(480, document.documentElement.clientWidth - 32)) };
}

function axisOf(options) {
  const line = colour("line");
  return { stroke: colour("quiet"), grid: { stroke: line, width: 1 }, ticks: { stroke: line }, ...options };
}

/** A band behind the lines for each phase, with its name where it fits. */
function drawPhases(drawn, phases) {
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

/**
 * `lines`: label, values, and the variable of page.css that has the colour of this meaning. `options`: xLabel, yLabel, xScale, xValues (the
 * texts of the x axis), yMax, phases (bands behind the lines), spanGaps (whether a line goes on over nulls).
 */
function plot(container, title, x, lines, options = {}) {
  const { figure, width } = frame(container, title);
  const { phases = [], spanGaps = false } = options;
  const series = lines.map(([label, , meaning]) => ({
    label,
    stroke: colour(meaning),
    width: 1.5,
    points: { show: x.length < 3 },
    spanGaps,
  }));
  const drawn = new uPlot(
    {
      width,
      height: 220,
      scales: {
        x: { time: false, ...options.xScale },
        // The highest value leaves room for the names of the phases.
        y: { range: (_plot, _low, high) => [0, options.yMax ?? (high || 1) * 1.15] },
      },
      axes: [
        axisOf({ label: options.xLabel ?? "seconds of the measured load", values: options.xValues }),
        axisOf({ size: 60, label: options.yLabel }),
      ],
      hooks: {
        drawClear: [(own) => drawPhases(own, phases)],
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

/** The bands of a run's phases, and an x axis from the first to the last. */
function overTime({ phases = [] }) {
  const span = [Math.min(0, ...phases.map(({ begun }) => begun)), Math.max(0, ...phases.map(({ ended }) => ended))];
  return { phases, xScale: phases.length > 0 ? { range: () => span } : {} };
}

/** The loads of a run, from the first. */
function loadsOf({ before = [], perSecond, observations }) {
  return [...before, { begun: 0, perSecond, observations }];
}

/** The seconds of all loads, and a function that returns a value of each. A null after each load keeps two loads apart. */
function secondsOf(run) {
  const justAfter = 0.001;
  const loads = loadsOf(run);
  return {
    x: loads.flatMap(({ begun, perSecond }) => [
      ...perSecond.map((_, second) => begun + second),
      begun + Math.max(0, perSecond.length - 1) + justAfter,
    ]),
    of: (value) => loads.flatMap(({ perSecond }) => perSecond.map((one) => value(one) ?? null).concat(null)),
  };
}

/** Responses of each second. */
function throughput(container, run) {
  const { x, of } = secondsOf(run);
  const lines = [
    ["accepted", of(({ accepted }) => accepted), "accepted"],
    ...(run.reads.requests > 0 ? [["reads", of(({ read }) => read), "reads"]] : []),
    ["failed", of(({ failed }) => failed), "failed"],
  ];
  plot(container, "2xx a second", x, lines, { yLabel: "/s", ...overTime(run) });
}

function latencyBySecond(container, run) {
  const { x, of } = secondsOf(run);
  const lines = [
    ["p50", of(({ p50 }) => p50), "p50"],
    ["p99", of(({ p99 }) => p99), "p99"],
  ];
  plot(container, "Latency by second", x, lines, { yLabel: "ms", ...overTime(run) });
}

/** The latency of POSTs by percentile; its right half is the slowest tenth. Nothing without POSTs. */
function percentiles(container, { histogram }) {
  if (histogram.length === 0) return;
  const x = histogram.map((_, index) => index);
  plot(container, "Latency by percentile", x, [["latency", histogram.map(({ ms }) => ms), "p50"]], {
    yLabel: "ms",
    xLabel: "percentile",
    xValues: (_plot, splits) => splits.map((split) => histogram[split]?.percentile ?? ""),
  });
}

/** The cumulative distribution of each method's latencies. Nothing for a run without one. */
function cdf(container, { cdf: methods = [] }) {
  const colours = { POST: "accepted", GET: "reads" };
  cdfOfRuns(
    container,
    methods.map(({ method, points }) => ({ label: method, points, meaning: colours[method] })),
  );
}

/** Several cumulative distributions in one plot. `meaning`: the variable of page.css that has the colour. */
function cdfOfRuns(container, distributions, title = "Share of requests up to a latency") {
  if (distributions.length === 0) return;
  const [x, ...shares] = uPlot.join(
    // Of several shares at one latency the last is the share up to it.
    distributions.map(({ points }) => {
      const last = points.filter(({ ms }, index) => ms !== points[index + 1]?.ms);
      return [last.map(({ ms }) => ms), last.map(({ share }) => share)];
    }),
  );
  plot(
    container,
    title,
    x,
    distributions.map(({ label, meaning }, index) => [label, shares[index], meaning]),
    // Logarithmic: the slowest requests take a hundred times as long as most.
    { yLabel: "share", xLabel: "ms", xScale: { distr: 3 }, yMax: 1, spanGaps: true },
  );
}

/** What was observed of the system: queues, cores, rows. Nothing for a run without observations. */
function observed(container, run) {
  const { observations } = run;
  if (observations.length < 2) return;
  const all = loadsOf(run).flatMap((load) => load.observations);
  const at = all.map(({ second }) => second);
  const waiting = all.map(({ queued }) => queued);
  const time = overTime(run);
  plot(container, "Messages in the queues", at, [["waiting", waiting, "waiting"]], { yLabel: "messages", ...time });
  const tiers = Object.keys(observations[0].cpuSeconds).map((tier) => [tier, coresOf(tier, all), tier]);
  const others = [
    ["foreign", "foreignCores"],
    ["steal", "stealCores"],
  ].flatMap(([label, field]) =>
    all.every((one) => (one[field] ?? null) === null) ? [] : [[label, all.slice(1).map((one) => one[field]), label]],
  );
  plot(container, "Cores busy, by tier", at.slice(1), [...tiers, ...others], { yLabel: "cores", ...time });
  if (observations[0].stored === null) return;
  const stored = all.map((one) => one.stored - all[0].stored);
  plot(container, "Events stored so far", at, [["stored", stored, "stored"]], { yLabel: "events", ...time });
}

function coresOf(tier, all) {
  return all.slice(1).map((one, index) => {
    const previous = all[index];
    const spent = one.cpuSeconds[tier] - previous.cpuSeconds[tier];
    return spent / Math.max(0.001, one.second - previous.second);
  });
}
