import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { heapFlags } from "../start-apps.ts";
import { keptPasswords, filledTemplate } from "../servers/context.ts";
import { passwordVariables } from "./compose-project.ts";

const infra = join(import.meta.dirname, "..", "..", "..");
const read = (...path: readonly string[]): string => readFileSync(join(infra, ...path), "utf8");
const compose = read("compose.yaml");
const dockerfile = read("Dockerfile");

test("the launcher sets each password of compose.yaml", async () => {
  const required = new Set(
    Array.from(compose.matchAll(/environment: (TALLY_\w+_PASSWORD) /g), ([, name = ""]) => name),
  );
  expect(required.size).toBe(9);
  const directory = mkdtempSync(join(tmpdir(), "tally-compose-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  expect(new Set(Object.keys(passwordVariables(await keptPasswords(directory))))).toEqual(required);
});

const values = {
  admin: "a-1",
  gateway: "g1",
  writer: "w1",
  ranker: "r1",
  maintenance: "m1",
  replication: "p1",
  namespace: "tally",
  database: "tally_x",
  databases: "tally\\_x%",
  from: "%",
  lag: "REPLICATION CLIENT",
};
const fill = (template: string, given: Readonly<Record<string, string>>): string =>
  execFileSync("bash", [join(infra, "fill-template.sh"), join(infra, template)], {
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      ...Object.fromEntries(Object.entries(given).map(([word, value]) => [`FILL_${word.toUpperCase()}`, value])),
    },
    stdio: "pipe",
  });

test.each(["redis/users.conf", "mysql/accounts.sql", "rabbitmq/definitions.json"])(
  "containers and launcher fill %s in the same way",
  async (template) => {
    expect(fill(template, values)).toBe(await filledTemplate(template, values));
  },
);

test.each(["a'b", 'a"b', "a{{b}}", "a\nb", ""])(
  "a password with characters that a file could misread is rejected: %j",
  (admin) => {
    expect(() => fill("mysql/accounts.sql", { ...values, admin })).toThrow(/FILL_ADMIN: /);
  },
);

test("the images start the apps with the launcher's heap flags", () => {
  // A container has its own limit: the old generation gets a share of it.
  const flags = [...heapFlags.slice(0, -1), "--max-old-space-size-percentage=50"].map((flag) => `"${flag}"`).join(", ");
  expect(heapFlags.at(-1)).toMatch(/^--max-old-space-size=/);
  expect(dockerfile).toContain(`ENTRYPOINT ["node", ${flags}, "src/main.ts"]`);
});

test("the Dockerfile names no processor, and Node, pnpm and turbo have the versions of the workspace", () => {
  expect(dockerfile.replaceAll(/^#.*$/gm, "")).not.toMatch(/amd64|arm64|x64|x86|aarch64|--platform/);
  const argument = (name: string) => new RegExp(`^ARG ${name}=([^\\s@]+)`, "m").exec(dockerfile)?.[1];
  const version = /^nodeVersion: (\S+)$/m.exec(read("..", "pnpm-workspace.yaml"))?.[1];
  expect(argument("NODE_IMAGE")).toBe(`node:${version}-slim`);
  expect(argument("PNPM_VERSION")).toBe(/"packageManager": "pnpm@(\S+)"/.exec(read("..", "package.json"))?.[1]);
  const turbo = /^ {4}turbo:\n.*\n +version: (\S+)$/m.exec(read("..", "pnpm-lock.yaml"))?.[1];
  expect(argument("TURBO_VERSION")).toBe(turbo);
});
