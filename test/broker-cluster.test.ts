import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startApps, startServices, type Apps, type Services } from "@tally/local";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runTally } from "./run-tally.ts";
import { keepSelling } from "./tills.ts";

const root = join(import.meta.dirname, "..");
const directory = join(root, ".tally", `test-${randomBytes(4).toString("hex")}`);
const namespace = "clustered";
let services: Services;
let apps: Apps;

beforeAll(async () => {
  const say = () => undefined;
  const environment = { PATH: process.env["PATH"] };
  services = await startServices({
    directory,
    database: "tally_test",
    keepData: false,
    docker: "never",
    brokers: 3,
    say,
    environment,
  });
  apps = await startApps({
    root,
    directory: `${directory}-apps`,
    addresses: services.addresses,
    port: 0,
    environment: { ...environment, NAMESPACE: namespace },
    instances: { gateway: 2 },
    say,
  });
}, 180_000);
afterAll(async () => {
  await apps?.stop();
  await services?.stop();
  await rm(`${directory}-apps`, { recursive: true, force: true });
}, 120_000);

test("three nodes, one killed under load and another after it: intake goes on, and nothing is lost or repeated", async () => {
  const members = await services.operator?.rabbitmqctl("list_queues", "--quiet", "name", "members");
  const ingest = members?.split("\n").find((line) => line.includes(`${namespace}.ingest.purchases`)) ?? "";
  expect(ingest.match(/@localhost/g)).toHaveLength(3);

  const tills = keepSelling(apps.urls, 30);
  await delay(2000);
  const nodes = services.servers.filter(({ name }) => name.startsWith("rabbitmq-"));
  expect(nodes).toHaveLength(3);
  // The last first: the command above belongs to the first.
  for (const node of nodes.slice(1).toReversed()) {
    node.kill("SIGKILL");
    const before = tills.count;
    await vi.waitFor(() => expect(tills.count).toBeGreaterThan(before + 100), { timeout: 30_000 });
    await node.start();
    await delay(2000);
  }
  const { ids } = await tills.stop();
  const file = join(directory, "acknowledged");
  await writeFile(file, [...ids.values()].map((id) => `${id}\n`).join(""));
  const { output } = await runTally({ namespace, addresses: services.addresses }, [
    "audit",
    "--json",
    "--acknowledged",
    file,
  ]);
  expect(JSON.parse(output)).toMatchObject({
    agrees: true,
    audit: { acknowledged: ids.size, stored: ids.size, ranked: ids.size, lost: 0, doubled: 0 },
  });
}, 240_000);
