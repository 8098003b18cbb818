import { existsSync } from "node:fs";
import { appendFile, mkdir, open, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startForwarding, type OwnResponse } from "./kit/fronts.ts";
import { openImports } from "./kit/imports.ts";
import { expectEnd, runTally, startTally, tallyJson } from "./kit/tally.ts";

/* Imports that end before their last line, and are repeated. Nothing is lost or doubled. */

// On a busy machine.
const { system, idsFile, file, noteIds, expectKept, rows } = await openImports();
const { url: gateway } = system;

/** Sales in a store. With long keys, so that a few thousand are more than the import reads ahead: 4 blocks of 256 KiB.
 */
const salesOf = (storeID: number, count: number): Promise<string> =>
  file(`store-${storeID}.csv`, [
    "storeID,custID,date,items,idempotencyKey",
    ...Array.from({ length: count }, (_, n) => lineOf(storeID, 1_000_000 + n)),
  ]);
const lineOf = (storeID: number, custID: number): string =>
  `${storeID},${custID},20261120,${custID % 500}:1 700:2,${`${storeID}-${custID}-`.padEnd(250, "k")}`;
const busy: OwnResponse = { status: 503, headers: { "retry-after": "1" }, body: "" };

/** A gateway behind a network that a test cuts. */
async function openNetwork(isCut: (path: string, body: Buffer) => boolean, response = busy) {
  const network = { isAway: true, requests: 0, url: "" };
  network.url = await startForwarding(gateway, (path, body) => {
    network.requests++;
    return network.isAway && isCut(path, body) ? response : undefined;
  });
  return network;
}

test.each([
  ["grows", 21, (path: string) => appendFile(path, `${lineOf(21, 7_777_777)}\n`)],
  [
    "changes at its end",
    22,
    async (path: string, size: number) => {
      const handle = await open(path, "r+");
      const last = `${lineOf(22, 7_777_777)}\n`;
      await handle.write(last, size - last.length);
      await handle.close();
    },
  ],
])(
  "a file that %s while it is imported ends the import before any other content is sent; restored, it is stored once",
  async (_name, storeID, change) => {
    const lines = 6000;
    const path = await salesOf(storeID, lines);
    const content = await readFile(path);
    let isChanged = false;
    const url = await startForwarding(gateway, async () => {
      if (!isChanged) await change(path, content.length);
      isChanged = true;
      return undefined;
    });
    const args = ["import", path, "--acknowledged", idsFile, "--url", url, "--concurrency", "1"];
    const stopped = await runTally(system, args);
    expect(stopped).toMatchObject({ exitCode: 2, output: "" });
    expect(stopped.errors).toContain(`${path}: the file changed during the import. Only lines of its earlier content`);
    expect(stopped.errors).toMatch(/\n\d{4} lines are accepted, 0 rejected; the same command sends the file again/);
    expectEnd(await runTally(system, args), 2, "other content");
    await writeFile(path, content);
    expect(await tallyJson(system, ...args)).toMatchObject({ accepted: lines, rejected: 0 });
    await noteIds();
    // Rows follow the import after a moment.
    await expectKept();
    expect([await rows(`store_id = ${storeID}`), await rows("customer_id = 7777777")]).toEqual([lines, 0]);
  },
);

test.each([
  ["a bulk request", "purchases", "storeID,custID,date,items", (n: number) => `1,${n},20261120,5:1`, 1600, 1490],
  ["single requests", "steps", "userID,day,timeInterval,stepCount", (n: number) => `${n},3,7,4`, 60, 30],
])(
  "a line at which the gateway fails in %s stops the import, is named, and can be skipped",
  async (_, domain, head, lineOfFile, count, failing) => {
    const marked = (n: number): string => lineOfFile(n === failing ? 777_001 : n);
    const path = await file(`${domain}.csv`, [head, ...Array.from({ length: count }, (_line, n) => marked(n))]);
    const bad = failing + 2;
    const headers = { "content-type": "application/json" };
    const failure = { status: 500, headers, body: '{"message":"internal error"}' };
    const { url } = await openNetwork((way, body) => way.includes("777001") || body.includes("777001"), failure);
    const ids = `${path}.ids`;
    const args = ["import", path, "--domain", domain, "--acknowledged", ids, "--url", url, "--give-up-after", "1"];
    const stopped = await runTally(system, args);
    expect(stopped.errors).toContain(`line ${bad}: ${url} responds 500`);
    expect(stopped.exitCode).toBe(1);
    expect(stopped.errors).toContain(`add --skip-line ${bad}\n`);
    const counts = { lines: count, accepted: count - 1, rejected: 1 };
    expect(await tallyJson(system, ...args, "--skip-line", String(bad))).toMatchObject(counts);
    const skipped = `\\n${bad},skipped with --skip-line; idempotencyKey import-[0-9a-f]{32}-${bad},.*777001`;
    expect(await readFile(`${path}.rejected.csv`, "utf8")).toMatch(new RegExp(skipped));
    await noteIds(ids);
  },
);

/** Starts an import of 4,000 sales, which waits after its first two requests until the network is back. */
async function startHalf(storeID: number) {
  const path = await salesOf(storeID, 4000);
  const network = await openNetwork(() => network.requests > 2);
  const args = ["import", path, "--acknowledged", `${path}.ids`, "--url", network.url, "--concurrency", "1"];
  const first = startTally(system, args);
  await expect.poll(() => network.requests, { timeout: 60_000 }).toBeGreaterThan(2);
  return { path, network, args, first };
}

test("a killed import is repeated by the same command, with the same content only", async () => {
  const { path, network, args, first } = await startHalf(23);
  const content = await readFile(path, "utf8");
  first.kill("SIGKILL");
  await first.ended;
  network.isAway = false;
  await writeFile(path, content.replace("23,1000000,", "23,1000001,"));
  const errors = expect.stringContaining("began with other content");
  expect(await runTally(system, args)).toMatchObject({ exitCode: 2, output: "", errors });
  await writeFile(path, content);
  expect(await tallyJson(system, ...args)).toMatchObject({ lines: 4000, accepted: 4000, rejected: 0 });
  expect(existsSync(`${path}.import-began`)).toBe(false);
  expect(await noteIds(`${path}.ids`)).toBe(4000);
});

test("a second import of a file ends with 2 while the first runs, and leaves the files of the first", async () => {
  const { path, network, args, first } = await startHalf(24);
  const errors = `tally: ${path}: process ${first.pid} imports this file already. Wait until it ends, or stop it\n`;
  expect(await runTally(system, args)).toMatchObject({ exitCode: 2, output: "", errors });
  network.isAway = false;
  expect(await first.ended).toBe(0);
  expect(first.printed()).toContain("4000 lines accepted");
  expect(await noteIds(`${path}.ids`)).toBe(4000);
  // A full disk leaves an empty file.
  await writeFile(`${path}.import-began`, "");
  expect(await tallyJson(system, ...args)).toMatchObject({ lines: 4000, accepted: 4000, rejected: 0 });
  await mkdir(`${path}.import-began`);
  const wrongKind = `tally: ${path}.import-began: expected a regular file, no link or device: the import writes it\n`;
  expect(await runTally(system, args)).toMatchObject({ exitCode: 2, errors: wrongKind });
});

test("after all of these every acknowledged line is stored and ranked once, and no other event", () => expectKept());
