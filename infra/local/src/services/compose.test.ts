import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filledTemplate } from "./accounts.ts";

const infra = join(import.meta.dirname, "..", "..", "..");
const compose = readFileSync(join(infra, "compose.yaml"), "utf8");

test("no password of compose.yaml has a default, and the launcher gives each", () => {
  const launcher = readFileSync(join(import.meta.dirname, "from-docker.ts"), "utf8");
  const required = new Set(Array.from(compose.matchAll(/\$\{(\w+_PASSWORD):\?/g), ([, name = ""]) => name));
  expect(required.size).toBe(9);
  for (const [, name = "", rest] of compose.matchAll(/\$\{(\w+)((?::[-?])?)[^}]*\}/g)) {
    if (name.endsWith("_PASSWORD")) expect([name, rest]).toEqual([name, expect.stringMatching(/^(:\?)?$/)]);
    if (name.endsWith("_PASSWORD")) expect(required).toContain(name);
  }
  for (const name of required) expect(launcher).toContain(`${name}: passwords.`);
});

test("no port of compose.yaml is published but on this machine", () => {
  const published = compose.match(/^ +- \S+:\d+$/gm) ?? [];
  expect(published).toHaveLength(5);
  for (const port of published) expect(port).toContain("- 127.0.0.1:");
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
  "containers and launcher make the same of %s",
  async (template) => {
    expect(fill(template, values)).toBe(await filledTemplate(template, values));
  },
);

test.each(["a'b", 'a"b', "a{{b}}", "a\nb", ""])(
  "a password that a file could misunderstand is refused: %j",
  (admin) => {
    expect(() => fill("mysql/accounts.sql", { ...values, admin })).toThrow(/FILL_ADMIN: /);
  },
);

test("the document of operations has the accounts as they are", () => {
  const document = readFileSync(join(infra, "..", "docs", "operations.md"), "utf8");
  for (const template of ["redis/users.conf", "mysql/accounts.sql"]) {
    expect(document).toContain(`\n${readFileSync(join(infra, template), "utf8").trim()}\n\`\`\``);
  }
  const cells = document
    .split("\n")
    .filter((line) => /^\| `tally(_gateway|_writer|_ranker|_maintenance)?`/.test(line))
    .map((line) => Array.from(line.matchAll(/`([^`]*)`/g), ([, cell = ""]) => cell.replaceAll("\\|", "|")));
  const definitions: unknown = JSON.parse(readFileSync(join(infra, "rabbitmq", "definitions.json"), "utf8"));
  const permissions = cells.map(([user, configure, write, read]) => ({ user, vhost: "/", configure, write, read }));
  expect(definitions).toMatchObject({ permissions: permissions.filter(({ read }) => read !== undefined) });
});
