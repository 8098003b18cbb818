import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { temporaryDirectory } from "../at-end.test-kit.ts";
import { findProgram, runCommand, ServiceError } from "../process/run-command.ts";
import { installedProgram } from "../services/installed-programs.ts";
import { dashboards, observeFiles } from "./observe-files.test-kit.ts";

/** Runs promtool in the folder of the configuration. Skips the test where it is missing and cannot be installed. */
async function promtool({ skip, signal }: TestContext, ...args: readonly string[]) {
  const environment = { PATH: process.env["PATH"] };
  try {
    const options = { environment, signal, say: () => undefined };
    const prometheus = await installedProgram("prometheus", "Prometheus", options);
    const program = findProgram(["promtool"], environment, [dirname(prometheus)]);
    expect(program).toBeDefined();
    return await runCommand(program ?? "", args, { environment });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not-installed") throw error;
    return skip(`promtool is not installed, and cannot be installed here: ${error.message}`);
  }
}

const file = (name: string): string => join(observeFiles, name);

test.for(["prometheus.yml", "prometheus.containers.yml"])(
  "promtool accepts %s and the rules",
  async (name, context) => {
    const { exitCode, output, errors } = await promtool(context, "check", "config", file(name));
    expect([exitCode, output + errors]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/)]);
  },
);

test("each alert fires when it should, by promtool's unit tests", async (context) => {
  const { exitCode, output, errors } = await promtool(context, "test", "rules", file("rules.test.yml"));
  expect([exitCode, output + errors]).toEqual([0, expect.stringContaining("SUCCESS")]);
});

test("every query of a dashboard is valid PromQL, as a rule that promtool checks", async (context) => {
  const queries = dashboards().flatMap(([, { panels }]) =>
    panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m"))),
  );
  expect(queries.length).toBeGreaterThan(30);
  const folder = await temporaryDirectory();
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
  // JSON is YAML.
  await writeFile(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "queries", rules }] }));
  const { exitCode, output, errors } = await promtool(context, "check", "rules", join(folder, "rules.yml"));
  expect([exitCode, output + errors]).toEqual([0, expect.stringContaining(`${queries.length} rules found`)]);
});
