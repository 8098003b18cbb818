import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");
const text = read("infra", "Dockerfile");
const file = DockerfileParser.parse(text);
const stages = file.getFROMs();
const lastStage = file
  .getInstructions()
  .slice(file.getInstructions().findLastIndex((one) => one.getKeyword() === "FROM"));
const argument = (name: string): string | null | undefined =>
  file
    .getARGs()
    .map((arg) => arg.getProperty())
    .find((property) => property?.getName() === name)
    ?.getValue();

test("the linter of Dockerfiles finds nothing", () => {
  expect(validate(text)).toEqual([]);
  expect(validate(text.replace("ENTRYPOINT", "ENTRYPOIN"))).not.toEqual([]);
});

test("one last stage is the image of every app, and nothing names a processor", () => {
  expect(stages.filter((from) => from.getBuildStage() === null)).toEqual([stages.at(-1)]);
  expect(stages.map((from) => from.getImageName())).toEqual(["node", "tools", "tools", "tools", "node"]);
  expect(lastStage.map((one) => one.getKeyword())).not.toContain("RUN");
  expect(text.replaceAll(/^#.*$/gm, "")).not.toMatch(/amd64|arm64|x64|x86|aarch64|--platform/);
});

test("the image names its user by number, and it is not root", () => {
  const user = lastStage.find((one) => one.getKeyword() === "USER")?.getArgumentsContent();
  expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test("Node, pnpm and turbo have the versions of the workspace", () => {
  expect(argument("NODE_VERSION")).toBe(/^nodeVersion: (\S+)$/m.exec(read("pnpm-workspace.yaml"))?.[1]);
  expect(argument("PNPM_VERSION")).toBe(/"packageManager": "pnpm@(\S+)"/.exec(read("package.json"))?.[1]);
  expect(argument("TURBO_VERSION")).toBe(/^ {4}turbo:\n.*\n +version: (\S+)$/m.exec(read("pnpm-lock.yaml"))?.[1]);
});

test("the health check has the default ports of the apps", () => {
  const settings = read("docs", "settings.md");
  const check = read("packages", "service", "src", "check-health.ts");
  for (const variable of ["PORT", "WRITER_HEALTH_PORT", "RANKER_HEALTH_PORT"]) {
    const port = new RegExp(`^\\| \`${variable}\` +\\|[^|]+\\| \`(\\d+)\``, "m").exec(settings)?.[1];
    expect(check).toMatch(new RegExp(`integer\\("${variable}", .*default: ${port} `));
    expect(text).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, "m"));
  }
});
