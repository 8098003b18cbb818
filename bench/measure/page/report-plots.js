// Runs in the page of a report, after plots.js.
/* global document */
const { throughput, latencyBySecond, percentiles, cdf, observed, redrawn } = globalThis.tallyPlots;
const report = JSON.parse(document.getElementById("report").textContent);
const container = document.getElementById("plots");
redrawn(container, () => {
  for (const draw of [throughput, latencyBySecond, percentiles, cdf, observed]) draw(container, report);
});
