import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTally } from "./run-tally.ts";
import { startSystem, type TestSystem } from "./start-system.ts";
import { keepSelling, type Sold } from "./tills.ts";

let system: TestSystem;
let directory: string;
const acknowledged: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-stopping-"));
  system = await startSystem({}, { instances: { gateway: 2, writer: 2 } });
});
afterAll(async () => {
  await system.stop();
  await rm(directory, { recursive: true, force: true });
});

/** All that was ever acknowledged is stored once and counted once. */
async function expectAudited({ ids }: Sold): Promise<void> {
  acknowledged.push(...ids.values());
  const file = join(directory, "acknowledged");
  await writeFile(file, acknowledged.map((id) => `${id}\n`).join(""));
  const { output } = await runTally(system, ["audit", "--json", "--acknowledged", file]);
  expect(JSON.parse(output)).toMatchObject({
    agrees: true,
    audit: { acknowledged: acknowledged.length, stored: acknowledged.length, lost: 0, doubled: 0, unacknowledged: 0 },
  });
}

test("a rolling restart under load gives clients nothing but closed connections, and loses or repeats nothing", async () => {
  const tills = keepSelling(system.urls, 40);
  await delay(1000);
  for (const server of [...system.gateways, ...system.writers, ...system.rankers]) {
    expect(await server.stop()).toBe(0);
    await delay(200);
    await server.start();
    await delay(300);
  }
  const sold = await tills.stop();
  expect(Object.keys(sold.statuses)).toEqual(["201"]);
  expect(sold.ids.size).toBeGreaterThan(500);
  await expectAudited(sold);
}, 120_000);

test("a gateway that stops answers what it has in hand", async () => {
  const [first = ""] = system.urls;
  const tills = keepSelling([first], 40);
  await delay(700);
  const stopped = system.gateway.stop();
  const before = tills.count;
  expect(await stopped).toBe(0);
  expect(tills.count).toBeGreaterThanOrEqual(before);
  await system.gateway.start();
  const sold = await tills.stop();
  expect(Object.keys(sold.statuses)).toEqual(["201"]);
  await expectAudited(sold);
}, 120_000);
