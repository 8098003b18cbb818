import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { processesNaming } from "@tally/local";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSystem, type System } from "../open-system.ts";
import type { DesignName } from "./designs.ts";

/* Designs that differ from another one only in where requests or queries go. */

const root = join(import.meta.dirname, "..", "..", "..");

async function open(design: DesignName, gateways: number) {
  // Below the checkout, as the bench does it: the servers of a test that runs as root have their own users.
  await mkdir(join(root, ".tally"), { recursive: true });
  const directory = await temporaryDirectory(join(root, ".tally"));
  const signal = AbortSignal.timeout(120_000);
  const plan = {
    root,
    directory,
    design,
    durability: "confirmed",
    gateways,
    services: undefined,
    settings: {},
    say: () => undefined,
    signal,
  } as const;
  const system = await openSystem(plan);
  onTestFinished(() => system.close());
  return { system, directory };
}

/** Events that a gateway has published. */
async function salesOf(operatorUrl: string): Promise<number> {
  const metrics = await (await fetch(`${operatorUrl}/metrics`)).text();
  const lines = metrics.matchAll(/^tally_gateway_events_total\{.*outcome="confirmed".*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** TCP connections of a system's gateways to a port on 127.0.0.1 (see proc(5)). */
async function gatewayConnections({ environment }: System, directory: string): Promise<number> {
  const { port } = new URL(environment["DATABASE_READ_URL"] ?? "");
  const remote = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((line) => line.trim().split(/\s+/));
  const inodes = lines.filter(([, , address]) => address === remote).map((line) => line[9]);
  const apps = new Set(processesNaming(directory));
  const gateways = processesNaming("apps/gateway/src/").filter((pid) => apps.has(pid));
  expect(gateways).toHaveLength(1);
  const sockets = gateways.flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)),
  );
  return sockets.filter((socket) => inodes.some((inode) => socket === `socket:[${inode}]`)).length;
}

async function sell(url: string): Promise<void> {
  const response = await fetch(`${url}/purchase/1/customer/1/date/20261122`, {
    method: "POST",
    // The balancer chooses a gateway for each connection.
    headers: { "content-type": "application/json", connection: "close" },
    body: '{"items":[{"ItemID":"1","numberOfItems":1}]}',
  });
  expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 201 });
}

test("balanced sends the requests through one balancer to all gateways", { timeout: 180_000 }, async () => {
  const {
    system: { urls, operatorUrls = [] },
  } = await open("balanced", 2);
  expect(urls).toHaveLength(1);
  expect(operatorUrls).toHaveLength(2);
  for (let sale = 0; sale < 20; sale++) await sell(urls[0] ?? "");
  const counts = await Promise.all(operatorUrls.map(salesOf));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test.each([
  ["primary-reads", "no"],
  ["batched", "some"],
] as const)("a gateway of %s has %s connections to the replica", { timeout: 180_000 }, async (design, expected) => {
  const { system, directory } = await open(design, 1);
  const [url = ""] = system.urls;
  await sell(url);
  await vi.waitFor(async () => {
    const latest = await (await fetch(`${url}/purchases/latest?storeID=1`)).json();
    expect(latest).toMatchObject({ purchases: [{ storeID: 1 }] });
  }, 30_000);
  // Again where a connection ends while it is looked at.
  await vi.waitFor(async () =>
    expect((await gatewayConnections(system, directory)) > 0 ? "some" : "no").toBe(expected),
  );
});
