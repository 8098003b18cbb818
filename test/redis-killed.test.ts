import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startApps, startServices, type Apps, type Services } from "@tally/local";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";

const root = join(import.meta.dirname, "..");
const directory = join(root, ".tally", `test-${randomBytes(4).toString("hex")}`);
let services: Services;
let apps: Apps;

beforeAll(async () => {
  const say = () => undefined;
  // Servers of its own: this Redis is killed.
  services = await startServices({
    directory,
    database: "tally_test",
    keepData: false,
    docker: "never",
    say,
    environment: { PATH: process.env["PATH"] },
  });
  const environment = { PATH: process.env["PATH"] };
  apps = await startApps({
    root,
    directory: `${directory}-apps`,
    addresses: services.addresses,
    port: 0,
    environment,
    say,
  });
});
afterAll(async () => {
  await apps?.stop();
  await services?.stop();
  await rm(`${directory}-apps`, { recursive: true, force: true });
});

test("what a killed Redis has forgotten comes back from the ledger, and storing goes on meanwhile", async () => {
  const system = { ...apps, namespace: "tally", addresses: services.addresses };
  const database = openDatabase(system);
  const redis = services.servers.find(({ name }) => name === "redis");
  const sell = async (n: number) => {
    const response = await fetch(`${apps.url}/purchase/${n % 5}/customer/${n}/date/20261120`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ items: [{ ItemID: n % 40, numberOfItems: 1 + (n % 3) }] }),
    });
    await response.arrayBuffer();
    expect(response.status).toBe(201);
  };
  try {
    for (let n = 0; n < 200; n++) await sell(n);
    await vi.waitFor(async () => expect(await cellsOfBoards(system)).toEqual(await cellsOfRows(database)), {
      timeout: 20_000,
    });

    redis?.kill("SIGKILL");
    for (let n = 200; n < 300; n++) await sell(n);
    await redis?.start();
    // It keeps a snapshot every five minutes, so it has nothing of all this.
    await vi.waitFor(
      async () => {
        const rows = await cellsOfRows(database);
        expect(rows.length).toBeGreaterThan(50);
        expect(await cellsOfBoards(system)).toEqual(rows);
      },
      { timeout: 60_000, interval: 500 },
    );
  } finally {
    await database.close();
  }
}, 120_000);
