import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Random, workloadOf } from "@tally/bench/kit";
import { temporaryDirectory } from "@tally/local/at-end";
import { postJson, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { runTally, tallyJson, withoutProgress } from "./kit/tally.ts";

const domains = ["purchases", "steps", "liftrides", "swipes"];
const system = await startSystem();
const folder = await temporaryDirectory();
const eventsOfEach = 100;
const random = new Random(16).fraction;
for (const domain of domains)
  for (let event = 0; event < eventsOfEach; event++) {
    const { path, body, contentType = "application/json" } = workloadOf(domain).next(random, "narrow");
    const content = body === undefined ? {} : { body: String(body) };
    const headers = { "content-type": contentType };
    const response = await fetch(system.url + path, { method: "POST", headers, ...content });
    expect(response.status).toBeLessThan(300);
  }
const voided = await sold(system.url, 76, { item: 5, quantity: 3 });
const refunded = await sold(system.url, 76, { item: 5, quantity: 3 });
expect((await postJson(`${system.url}/purchases/${voided}/void`, { reason: "mistyped" })).status).toBe(201);
const refund = { storeID: 75, date: "20261121", items: [{ line: 0, ItemID: 5, numberOfItems: 2 }] };
const withKey = { "idempotency-key": "refund-1" };
expect((await postJson(`${system.url}/purchases/${refunded}/refunds`, refund, withKey)).status).toBe(201);
const rideOfUnknownSkier = { resortID: "silverMt", dayID: "1", time: "408", liftID: "27" };
expect((await postJson(`${system.url}/skiers/liftrides`, rideOfUnknownSkier)).status).toBe(201);
await sold(system.url, 77, { item: 5, quantity: 2 });
await tallyJson(system, "audit");

const hashesOf = async (of: typeof system) => {
  const report = await tallyJson(of, "audit");
  expect(report.agrees).toBe(true);
  const audited: readonly { domain: string; boards: { cells: number; hash: string } }[] = report.domains;
  const exported = audited.filter(({ domain }) => domains.includes(domain));
  return exported.map(({ domain, boards: { cells, hash } }) => [domain, cells, hash]);
};

test("what is exported as NDJSON or CSV and imported into another system has the same rankings there", async () => {
  const other = await startSystem();
  // Each line has its event id as key: the second file with the same events adds nothing, and must have the same
  // content.
  for (const format of ["ndjson", "csv"])
    for (const domain of [...domains, "voids", "refunds"]) {
      const file = join(folder, `${domain}.${format}`);
      const { events } = await tallyJson(system, "export", domain, "--output", file);
      expect(events).toBeGreaterThanOrEqual(["liftrides", "voids", "refunds"].includes(domain) ? 1 : eventsOfEach);
      const expected = { lines: events, accepted: events, rejected: 0 };
      expect(await tallyJson(other, "import", file, "--domain", domain)).toMatchObject(expected);
    }
  const hashes = await hashesOf(system);
  expect(hashes).toHaveLength(domains.length);
  expect(await hashesOf(other)).toEqual(hashes);
  expect((await runTally(other, ["export", "voids"])).output).toContain('"reason":"mistyped"');
});

test("a store and a day select rows, and stdout has nothing but lines", async () => {
  const ofStore = ["export", "purchases", "--store", "77"];
  const { output, errors, exitCode } = await runTally(system, [...ofStore, "--date", "20261120"]);
  const items = [{ ItemID: 5, numberOfItems: 2 }];
  expect(JSON.parse(output)).toMatchObject({ storeID: 77, custID: 1, date: "20261120", items });
  expect(withoutProgress(errors)).toMatch(/^1 events of purchases, in /);
  expect(exitCode).toBe(0);
  const file = join(folder, "store-77.CSV");
  await tallyJson(system, "export", "--store", "77", "--output", file);
  expect(await readFile(file, "utf8")).toMatch(
    /^storeID,custID,date,items,.*idempotencyKey\n77,1,20261120,5:2,.*[0-9a-f-]{36}\n$/,
  );
  expect((await runTally(system, [...ofStore, "--date", "20261121"])).output).toBe("");
});

test("a file is written completely or not at all", async () => {
  const file = join(folder, "half.ndjson");
  const nowhere = { DATABASE_READ_URL: "mysql://u:p@127.0.0.1:9/x" };
  const { exitCode, errors } = await runTally(system, ["export", "--output", file], nowhere);
  expect(exitCode).toBe(3);
  expect(errors).not.toMatch(/\n\s+at /);
  expect((await readdir(folder)).filter((name) => name.startsWith("half"))).toEqual([]);
  await tallyJson(system, "export", "--output", file);
  expect((await readFile(file, "utf8")).trimEnd().split("\n")).toHaveLength(eventsOfEach + 3);
});
