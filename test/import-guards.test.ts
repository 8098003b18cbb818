import { existsSync } from "node:fs";
import { appendFile, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "./at-end.ts";
import { expectAllKept } from "./audit-of.ts";
import { startForwarding } from "./forwarding.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem } from "./start-system.ts";
import { startTally, tally, tallyJson } from "./start-tally.ts";

/* Imports whose files, state or network are not what they expect. They stop, and nothing is lost or doubled. */

const system = await startSystem();
const database = openDatabase(system);
const folder = await temporaryDirectory();
const idsFile = join(folder, "ids");
const acknowledged = new Set<string>();

async function expectKept(path = idsFile): Promise<void> {
  for (const id of (await readFile(path, "utf8")).trimEnd().split("\n")) acknowledged.add(id);
  await expectAllKept(system, acknowledged);
}

async function salesOf(storeID: number, lines: number): Promise<string> {
  const path = join(folder, `store-${storeID}.csv`);
  const rows = Array.from({ length: lines }, (_, n) => `${storeID},${1_000_000 + n},20261120,${n % 500}:1 700:2\n`);
  await writeFile(path, `storeID,custID,date,items\n${rows.join("")}`);
  return path;
}

const rows = async (where: string) =>
  (await database.writer.query<{ n: number }>(`SELECT COUNT(*) AS n FROM purchases WHERE ${where}`))[0]?.n;

// More than the import reads ahead: 4 blocks of 256 KiB.
const manyLines = 30_000;

test.each([
  ["grows", 21, (path: string) => appendFile(path, "21,7777777,20261120,5:1\n")],
  [
    "changes at its end",
    22,
    async (path: string, size: number) => {
      const handle = await open(path, "r+");
      await handle.write("22,7777777,20261120", size - 32);
      await handle.close();
    },
  ],
])(
  "a file that %s while it is imported ends the import before any other content is sent; restored, it is stored once",
  async (_name, storeID, change) => {
    const path = await salesOf(storeID, manyLines);
    const content = await readFile(path);
    let isChanged = false;
    const url = await startForwarding(system.url, async () => {
      if (!isChanged) await change(path, content.length);
      isChanged = true;
      return undefined;
    });
    const args = ["import", path, "--acknowledged", idsFile, "--url", url, "--concurrency", "1"];
    const stopped = await tally(system, args);
    expect(stopped).toMatchObject({ exitCode: 2, output: "" });
    expect(stopped.errors).toContain(`${path}: the file changed during the import. Only lines of its earlier content`);
    expect(stopped.errors).toMatch(
      /\n\d{4,5} lines are accepted, 0 rejected; the same command goes on after line \d+\n/,
    );
    expect(await tally(system, args)).toMatchObject({ exitCode: 2, errors: expect.stringContaining("other content") });
    await writeFile(path, content);
    expect(await tallyJson(system, ...args)).toMatchObject({ accepted: manyLines, rejected: 0 });
    await expectKept();
    expect(await rows(`store_id = ${storeID}`)).toBe(manyLines);
    expect(await rows("customer_id = 7777777")).toBe(0);
  },
  300_000,
);

const html = { "content-type": "text/html" };

test.each([
  ["a login page", { status: 200, headers: html, body: "<html>Sign in to the network</html>" }],
  ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:9/login" }, body: "" }],
  ["the 404 of a proxy", { status: 404, headers: html, body: "<html>Not Found</html>" }],
  ["JSON of another server", { status: 200, headers: { "content-type": "application/json" }, body: '{"ok":true}' }],
] as const)(
  "single requests that get %s instead of a response of the gateway reject no line: the import ends with 3 and goes on",
  async (name, response) => {
    const network = { requests: 0, isAway: true };
    const url = await startForwarding(system.url, () =>
      ++network.requests > 10 && network.isAway ? response : undefined,
    );
    const path = join(folder, `${name}.csv`);
    const lines = Array.from({ length: 40 }, (_, n) => `${n},3,7,4\n`);
    await writeFile(path, `userID,day,timeInterval,stepCount\n${lines.join("")}`);
    const args = ["import", path, "--domain", "steps", "--acknowledged", `${path}.ids`, "--url", url];
    const stopped = await tally(system, [...args, "--give-up-after", "1", "--concurrency", "2"]);
    expect(stopped).toMatchObject({ exitCode: 3, output: "" });
    expect(stopped.errors).toContain(`${url} responds ${response.status} without the body of a gateway`);
    expect(stopped.errors).toContain("the same command goes on after line 0");
    const sent = ["send", "steps", "--userID", "1", "--day", "3", "--timeInterval", "7", "--stepCount", "4"];
    expect(await tally(system, [...sent, "--url", url])).toMatchObject({ exitCode: 3, output: "" });
    network.isAway = false;
    expect(await tallyJson(system, ...args)).toMatchObject({ accepted: 40, rejected: 0 });
    await expectKept(`${path}.ids`);
  },
  300_000,
);

test("an interrupted import refuses a file of rejected lines that was corrected meanwhile, and leaves it as it is", async () => {
  const path = join(folder, "corrected.csv");
  const lines = Array.from({ length: 60 }, (_, n) => `${n === 5 ? "x" : n},3,8,4\n`);
  // Two batches: the first settles.
  const more = Array.from({ length: 1000 }, (_, n) => `${n + 777_000},3,8,4\n`);
  await writeFile(path, `userID,day,timeInterval,stepCount\n${[...lines, ...more].join("")}`);
  const network = { isAway: true };
  const busy = { status: 503, body: "" };
  const url = await startForwarding(system.url, (way) => (network.isAway && way.includes("777999") ? busy : undefined));
  const ids = `${path}.ids`;
  const args = ["import", path, "--domain", "steps", "--acknowledged", ids, "--url", url, "--give-up-after", "1"];
  expect(await tally(system, args)).toMatchObject({ exitCode: 3 });
  network.isAway = false;
  const rejectedFile = `${path}.rejected.csv`;
  const written = await readFile(rejectedFile, "utf8");
  const corrected = written.replace(",x,", ",5,");
  await writeFile(rejectedFile, `${corrected}7,"a note",5,3,8,4\n`);
  const refused = await tally(system, args);
  expect(refused).toMatchObject({ exitCode: 2, output: "" });
  expect(refused.errors).toMatch(
    /rejected\.csv: expected the first \d+ bytes that the interrupted import .*, got others\. Restore/,
  );
  expect(await readFile(rejectedFile, "utf8")).toBe(`${corrected}7,"a note",5,3,8,4\n`);
  await writeFile(rejectedFile, written);
  expect(await tallyJson(system, ...args)).toMatchObject({ accepted: 1059, rejected: 1 });
  expect(await readFile(rejectedFile, "utf8")).toBe(written);
  await expectKept(ids);
}, 300_000);

test("a second import of a file names the process of the first; the lock of a killed import does not keep the next one out", async () => {
  const path = await salesOf(23, 1500);
  const network = { isHeld: true, requests: 0 };
  const url = await startForwarding(system.url, () => {
    network.requests++;
    return network.isHeld ? { status: 503, headers: { "retry-after": "1" }, body: "" } : undefined;
  });
  const args = ["import", path, "--acknowledged", `${path}.ids`, "--url", url];
  const first = startTally(system, args);
  await vi.waitFor(() => expect(network.requests).toBeGreaterThan(0), 30_000);
  const second = await tally(system, args);
  expect(second).toMatchObject({ exitCode: 2, output: "" });
  expect(second.errors).toBe(
    `tally: ${path}: another import of this file runs (pid ${first.pid}); it holds ${path}.import-state.lock\n`,
  );
  first.kill();
  await first.ended;
  expect(existsSync(`${path}.import-state.lock`)).toBe(true);
  network.isHeld = false;
  expect(await tallyJson(system, ...args)).toMatchObject({ accepted: 1500, rejected: 0 });
  expect((await readdir(folder)).filter((name) => name.startsWith("store-23.csv.import-state"))).toEqual([]);
  await expectKept(`${path}.ids`);
}, 300_000);

test("a state whose numbers do not fit the file is refused", async () => {
  const path = await salesOf(24, 5);
  const network = { isAway: true };
  const url = await startForwarding(system.url, () => (network.isAway ? { status: 503, body: "" } : undefined));
  const args = ["import", path, "--acknowledged", `${path}.ids`, "--url", url, "--give-up-after", "1"];
  expect(await tally(system, args)).toMatchObject({ exitCode: 3 });
  network.isAway = false;
  const stateFile = `${path}.import-state`;
  const state = await readFile(stateFile, "utf8");
  for (const [edit, expected] of [
    [{ through: 99_999_999 }, `through: a line up to 6, the last of ${path}, got 99999999;`],
    [{ through: 6, accepted: 6 }, `accepted and rejected: together up to 5, the lines of ${path}, got 6;`],
    [{ accepted: -50 }, "the state of an import, got something else;"],
  ] as const) {
    await writeFile(stateFile, JSON.stringify({ ...JSON.parse(state), ...edit }));
    const errors = expect.stringContaining(`${stateFile}: expected ${expected} delete it`);
    expect(await tally(system, args)).toMatchObject({ exitCode: 2, output: "", errors });
  }
  await writeFile(stateFile, state);
  expect(await tallyJson(system, ...args)).toMatchObject({ accepted: 5, rejected: 0 });
  await expectKept(`${path}.ids`);
}, 300_000);

test("a missing file, a folder and wrong usage get one line that begins with the name of the command", async () => {
  const absent = join(folder, "absent", "sales.csv");
  const directory = join(folder, "folder.csv");
  await mkdir(directory);
  for (const [args, errors] of [
    [["import", absent], `tally: ${absent}: no such file\n`],
    [["import", directory], `tally: ${directory}: expected a regular file\n`],
    [["bogus"], expect.stringMatching(/^tally: unknown command 'bogus'\n/)],
    [["import"], expect.stringMatching(/^tally: missing required argument 'file'\n/)],
    [["send", "steps", "--bogus"], expect.stringMatching(/^tally: unknown option '--bogus'\n/)],
  ] as const)
    expect(await tally(system, args)).toMatchObject({ exitCode: 2, output: "", errors });
}, 300_000);
