import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (...path: readonly string[]): string => readFileSync(join(import.meta.dirname, "..", ...path), "utf8");
const text = read("infra", "Dockerfile");
const argument = (name: string): string | undefined => new RegExp(`^ARG ${name}=(\\S+)$`, "m").exec(text)?.[1];

test("the Dockerfile names no processor", () => {
  expect(text.replaceAll(/^#.*$/gm, "")).not.toMatch(/amd64|arm64|x64|x86|aarch64|--platform/);
});

test("Node, pnpm and turbo have the versions of the workspace", () => {
  const version = /^nodeVersion: (\S+)$/m.exec(read("pnpm-workspace.yaml"))?.[1];
  expect(argument("NODE_IMAGE")?.split("@")[0]).toBe(`node:${version}-slim`);
  expect(argument("PNPM_VERSION")).toBe(/"packageManager": "pnpm@(\S+)"/.exec(read("package.json"))?.[1]);
  expect(argument("TURBO_VERSION")).toBe(/^ {4}turbo:\n.*\n +version: (\S+)$/m.exec(read("pnpm-lock.yaml"))?.[1]);
});
