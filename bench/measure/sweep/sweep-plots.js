// Runs in the page of a sweep, after uPlot and plots.js.
/* global uPlot, document */
const { colour, redrawn, frame, axisOf } = globalThis.tallyPlots;
const { x, xLabel, plots } = JSON.parse(document.getElementById("sweep").textContent);
const colours = 8;

const container = document.getElementById("plots");

const colourOf = (line) => colour(`line-${line % colours}`);

// Values have equal distances: most lists double from one to the next, and some are no numbers.
const positions = x.map((_, index) => index);
/** Lines beside each other, so that one does not hide the spread of another. */
const shift = (line, lines) => (line - (lines - 1) / 2) * 5 * uPlot.pxRatio;

/** A line from the lowest to the highest round of each setting, a dot for the median, and the limit. */
function drawSpreads(drawn, lines, limit) {
  const { ctx, bbox } = drawn;
  ctx.save();
  ctx.lineWidth = 1.5 * uPlot.pxRatio;
  for (const [line, { spreads }] of lines.entries()) {
    ctx.strokeStyle = ctx.fillStyle = colourOf(line);
    for (const [index, spread] of spreads.entries()) {
      if (spread === null) continue;
      const left = drawn.valToPos(index, "x", true) + shift(line, lines.length);
      ctx.beginPath();
      ctx.moveTo(left, drawn.valToPos(spread.low, "y", true));
      ctx.lineTo(left, drawn.valToPos(spread.high, "y", true));
      ctx.stroke();
      ctx.beginPath();
      ctx.arc(left, drawn.valToPos(spread.median, "y", true), 3 * uPlot.pxRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  if (limit !== null) {
    const top = drawn.valToPos(limit, "y", true);
    ctx.strokeStyle = colour("text");
    ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, top);
    ctx.lineTo(bbox.left + bbox.width, top);
    ctx.stroke();
  }
  ctx.restore();
}

function plotSpreads({ title, yLabel, lines, limit = null }) {
  const { figure, width } = frame(container, limit === null ? title : `${title}, limit ${String(limit)} ms`);
  const highest = Math.max(limit ?? 0, ...lines.flatMap(({ spreads }) => spreads.map((spread) => spread?.high ?? 0)));
  const drawn = new uPlot(
    {
      width,
      height: 260,
      scales: {
        x: { time: false, range: () => [-0.5, x.length - 0.5] },
        y: { range: () => [0, (highest || 1) * 1.1] },
      },
      axes: [
        axisOf({
          label: xLabel,
          splits: () => positions,
          values: (_plot, splits) => splits.map((split) => x[split] ?? ""),
        }),
        axisOf({ size: 60, label: yLabel }),
      ],
      hooks: {
        draw: [
          (one) => {
            drawSpreads(one, lines, limit);
            // For tests: the plot is drawn, with this number of lines.
            figure.dataset.drawn = String(lines.length);
          },
        ],
      },
      series: [
        { label: xLabel },
        ...lines.map(({ name }, line) => ({
          label: name,
          stroke: colourOf(line),
          width: 1.5,
          points: { show: false },
        })),
      ],
      legend: { live: false },
      cursor: { show: false },
    },
    [positions, ...lines.map(({ spreads }) => spreads.map((spread) => spread?.median ?? null))],
  );
  figure.append(drawn.root);
}

redrawn(container, () => {
  for (const one of plots) plotSpreads(one);
});
