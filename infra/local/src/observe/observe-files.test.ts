import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { dashboards, metricsIn, observeFiles } from "./observe-files.test-kit.ts";

const readDocument = (name: string): string =>
  readFileSync(join(observeFiles, "..", "..", "docs", `${name}.md`), "utf8");
const alerts: readonly Alert[] = parse(readFileSync(join(observeFiles, "rules.yml"), "utf8")).groups.flatMap(
  ({ rules }: { readonly rules: readonly Alert[] }) => rules,
);

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<"summary" | "runbook", string>>;
}

// Prometheus makes the first itself; the others are RabbitMQ's.
const notOurs = ["up", "rabbitmq_disk_space_available_bytes", "rabbitmq_disk_space_available_limit_bytes"];
const ours = Array.from(
  readDocument("metrics").matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm),
  ([, name = "", type = ""]) => ({ name, type }),
);
const queryable = new Set([
  ...notOurs,
  ...ours.flatMap(({ name, type }) => {
    if (type === "histogram") return ["_bucket", "_sum", "_count"].map((end) => name + end);
    return type === "summary" ? [name, `${name}_sum`, `${name}_count`] : [name];
  }),
]);

/** What is wrong with queries: no metric, or one that does not exist. */
function problemsOf(queries: readonly (readonly [name: string, query: string])[]): readonly string[] {
  return queries.flatMap(([name, query]) => {
    const metrics = metricsIn(query);
    const unknown = metrics.filter((metric) => !queryable.has(metric));
    return metrics.length === 0 ? [`${name}: no metric`] : unknown.map((metric) => `${name}: ${metric}`);
  });
}

test("the metrics of a query are found", () => {
  const query = 'sum by (le) (rate(a_bucket{b=~"c.*"}[5m])) / on (d) group_left max(e_total) > 0.5 and absent(up)';
  expect(metricsIn(query)).toEqual(["a_bucket", "e_total", "up"]);
});

test("every metric of an alert exists", () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(problemsOf(alerts.map(({ alert, expr }) => [alert, expr]))).toEqual([]);
});

test("every label in the summary of an alert is one that its query keeps, or that each target has", () => {
  for (const { expr, annotations } of alerts) {
    const kept =
      Array.from(expr.matchAll(/\bby \(([^)]*)\)/g), ([, labels]) => labels).join() || `${expr} job instance`;
    for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
      expect(kept).toMatch(new RegExp(`\\b${label}\\b`));
  }
});

test("every alert has a section in docs/runbook.md, which its annotation names, and every such section has an alert", () => {
  const names = alerts.map(({ alert }) => alert);
  const sections = Array.from(readDocument("runbook").matchAll(/^#### (Tally\w+)$/gm), ([, name = ""]) => name);
  expect(sections.toSorted()).toEqual(names.toSorted());
  const runbooks = alerts.map(({ annotations }) => annotations.runbook);
  expect(runbooks).toEqual(names.map((name) => `docs/runbook.md#${name.toLowerCase()}`));
});

test("every alert has a unit test in which it fires", () => {
  const tests = readFileSync(join(observeFiles, "rules.test.yml"), "utf8");
  const firing = tests.matchAll(/alertname: (\w+)\n +exp_alerts:\n|labels: '\{alertname="(\w+)"/g);
  const tested = new Set(Array.from(firing, ([, one, other]) => one ?? other));
  expect(alerts.filter(({ alert }) => !tested.has(alert))).toEqual([]);
});

test.each(dashboards())(
  "dashboard %s: each panel has its place, and queries metrics that exist",
  (_, { uid, panels }) => {
    expect(uid).toMatch(/^tally-/);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_cell, n) => `${x + (n % w)}:${y + Math.floor(n / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    for (const { description, targets, datasource } of panels) {
      expect(description).not.toBe("");
      expect(datasource).toEqual({ type: "prometheus", uid: "prometheus" });
      expect(targets.length).toBeGreaterThan(0);
    }
    const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));
    expect(problemsOf(queries)).toEqual([]);
  },
);

test("in containers Prometheus reads the operator port of every app, of the broker and of the balancer", () => {
  const files = ["compose.yaml", "compose.production.yaml"].map((file) =>
    readFileSync(join(observeFiles, "..", file), "utf8"),
  );
  const configuration = readFileSync(join(observeFiles, "prometheus.containers.yml"), "utf8");
  const jobs = Array.from(
    configuration.matchAll(/job_name: (\w+)\n.*names: \[(\w+)\], type: A, port: (\d+),/g),
    ([, ...found]) => found,
  );
  const settings = readDocument("settings");
  const portOf = (app: string): string | undefined =>
    new RegExp(`^\\| \`${app.toUpperCase()}_HEALTH_PORT\` +\\|[^|]+\\| \`(\\d+)\``, "m").exec(settings)?.[1];
  const apps = ["gateway", "writer", "ranker"].map((app) => [app, app, portOf(app)]);
  expect(jobs).toEqual([...apps, ["rabbitmq", "rabbitmq", "15692"], ["balancer", "balancer", "8404"]]);
  for (const [, service] of jobs) expect(files.join("")).toContain(`\n  ${service}:\n`);
});

test("the data source of the dashboards is the one that Grafana is given", () => {
  const folder = join(observeFiles, "grafana", "provisioning");
  expect(readFileSync(join(folder, "datasources", "prometheus.yml"), "utf8")).toMatch(/^ +uid: prometheus$/m);
});
