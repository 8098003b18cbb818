import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./at-end.ts";
import { expectAllKept } from "./audit-of.ts";
import { startForwarding } from "./forwarding.ts";
import { startSystem } from "./start-system.ts";
import { tally, tallyJson } from "./start-tally.ts";

/* Imports that end before their last line, and go on. */

const system = await startSystem();
const folder = await temporaryDirectory();
const idsFile = join(folder, "ids");
const acknowledged = new Set<string>();

async function expectKept(): Promise<void> {
  for (const id of (await readFile(idsFile, "utf8")).trimEnd().split("\n")) acknowledged.add(id);
  await expectAllKept(system, acknowledged);
}

async function file(name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

/** In front of the gateway. Responds with 500 to requests that have this text. */
function failingAt(text: string): Promise<string> {
  return startForwarding(system.url, (path, body) =>
    body.includes(text) || path.includes(text)
      ? { status: 500, headers: { "content-type": "application/json" }, body: '{"message":"internal error"}' }
      : undefined,
  );
}

test.each([
  [
    "a bulk request",
    "purchases",
    "storeID,custID,date,items",
    (n: number) => `1,${n === 1490 ? 777_001 : n},20261120,5:1`,
    "777001",
    1600,
  ],
  [
    "single requests",
    "steps",
    "userID,day,timeInterval,stepCount",
    (n: number) => `${n === 30 ? 777_002 : n},3,7,4`,
    "777002",
    60,
  ],
])(
  "a line at which the gateway fails in %s stops the import, is named, and can be skipped",
  async (_, domain, head, lineOf, text, count) => {
    const path = await file(`${domain}.csv`, [head, ...Array.from({ length: count }, (_line, n) => lineOf(n))]);
    const bad = (await readFile(path, "utf8")).split("\n").findIndex((line) => line.includes(text)) + 1;
    const url = await failingAt(text);
    const args = ["import", path, "--domain", domain, "--acknowledged", idsFile, "--url", url, "--give-up-after", "1"];
    const stopped = await tally(system, args);
    expect({ exitCode: stopped.exitCode, errors: stopped.errors }).toEqual({
      exitCode: 1,
      errors: expect.stringContaining(`line ${bad}: ${url} responds 500`),
    });
    expect(stopped.errors).toContain(`add --skip-line ${bad}\n`);
    expect(await tallyJson(system, ...args, "--skip-line", String(bad))).toMatchObject({
      lines: count,
      accepted: count - 1,
      rejected: 1,
    });
    expect(await readFile(`${path}.rejected.csv`, "utf8")).toMatch(
      new RegExp(`\\n${bad},skipped with --skip-line; idempotencyKey import-[0-9a-f]{32}-${bad},.*${text}`),
    );
    await expectKept();
  },
  300_000,
);

test("an interrupted import goes on with the same files only, and refuses one that has become shorter", async () => {
  const lines = Array.from({ length: 3000 }, (_, n) => `2,${n === 5 ? "x" : n},20261120,5:1`);
  lines[2900] = "2,777003,20261120,5:1";
  const path = await file("paths.csv", ["storeID,custID,date,items", ...lines]);
  const url = await failingAt("777003");
  const args = ["import", path, "--url", url, "--give-up-after", "1", "--concurrency", "1"];
  const ids = join(folder, "ids of paths");
  expect(await tally(system, [...args, "--acknowledged", ids])).toMatchObject({ exitCode: 1 });
  const other = join(folder, "other.csv");
  const state = `${path}.import-state`;
  for (const [flags, flag, began, given] of [
    [["--acknowledged", ids, "--rejected", other], "--rejected", `${path}.rejected.csv`, other],
    [["--acknowledged", other], "--acknowledged", ids, other],
    [[], "--acknowledged", ids, "no such file"],
  ] as const)
    expect(await tally(system, [...args, ...flags])).toMatchObject({
      exitCode: 2,
      output: "",
      errors: expect.stringContaining(
        `${path}: ${flag}: expected ${began}, with which its import began, got ${given}. Give the same flag, or delete ${state}`,
      ),
    });
  const written = await readFile(ids, "utf8");
  await writeFile(ids, written.slice(0, 1000));
  const again = [...args, "--acknowledged", ids, "--skip-line", "2902"];
  expect(await tally(system, again)).toMatchObject({
    exitCode: 2,
    errors: expect.stringMatching(/ids of paths: expected the first \d+ bytes .*, got a file of 1000 bytes/),
  });
  await writeFile(ids, written);
  expect(await tallyJson(system, ...again)).toMatchObject({ accepted: 2998, rejected: 2 });
  expect((await readFile(ids, "utf8")).trimEnd().split("\n")).toHaveLength(2998);
}, 300_000);
