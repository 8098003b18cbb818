import { readFileSync } from "node:fs";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { expect, test } from "vitest";

const read = (...path: readonly string[]): string => readFileSync(join(import.meta.dirname, "..", ...path), "utf8");
const text = read("infra", "Dockerfile");
const argument = (name: string): string | undefined => new RegExp(`^ARG ${name}=(\\S+)$`, "m").exec(text)?.[1];

test("the Dockerfile has no finding of its linter, names no processor, and its user is a number and not root", () => {
  expect(validate(text)).toEqual([]);
  expect(text.replaceAll(/^#.*$/gm, "")).not.toMatch(/amd64|arm64|x64|x86|aarch64|--platform/);
  expect(text.match(/^USER .*$/gm)?.at(-1)).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
});

test("Node, pnpm and turbo have the versions of the workspace", () => {
  expect(argument("NODE_VERSION")).toBe(/^nodeVersion: (\S+)$/m.exec(read("pnpm-workspace.yaml"))?.[1]);
  expect(argument("PNPM_VERSION")).toBe(/"packageManager": "pnpm@(\S+)"/.exec(read("package.json"))?.[1]);
  expect(argument("TURBO_VERSION")).toBe(/^ {4}turbo:\n.*\n +version: (\S+)$/m.exec(read("pnpm-lock.yaml"))?.[1]);
});
