import { readFileSync } from "node:fs";
import type { Registry } from "prom-client";
import { expect } from "vitest";
import type { MetricDescription } from "./histogram-lines.ts";

/* For tests: docs/operations.md has one row for each metric, "| name | type | labels | unit | meaning |", made of what the code says of it. */

const document = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8");

/** The table below a heading lists these metrics, in their order, and no other. */
export function expectMetrics(heading: string, metrics: readonly MetricDescription[]): void {
  const section = document.split(/^(?=#{2,4} )/m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const rows = section.match(/^\| `\w+`.*\|$/gm) ?? [];
  expect(rows.map((row) => row.replaceAll(/ +/g, " "))).toEqual(metrics.map(rowOf));
}

/** The metrics of a registry that are not in `without`. */
export async function describeMetrics(registry: Registry, without?: Registry): Promise<readonly MetricDescription[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics
    .filter(({ name }) => without?.getSingleMetric(name) === undefined)
    .map(({ name, help, type }) => ({ name, help, type: String(type), labelNames: labelsOf(registry, name) }));
}

function rowOf({ name, type, labelNames, help }: MetricDescription): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(", ");
  return `| \`${name}\` | ${type} | ${labels === "" ? "none" : labels} | ${unitOf(name)} | ${help} |`;
}

// prom-client's types lack it.
function labelsOf(registry: Registry, name: string): readonly string[] {
  const labels: unknown = Reflect.get(registry.getSingleMetric(name) ?? {}, "labelNames");
  return Array.isArray(labels) ? labels.map(String) : [];
}

/** As Prometheus names units. */
function unitOf(name: string): string {
  if (/_seconds(_|$)/.test(name)) return "s";
  return /_bytes(_total)?$/.test(name) ? "bytes" : "number";
}
