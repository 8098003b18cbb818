import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tally/local/at-end";
import { expect, onTestFinished, test } from "vitest";
import { openSystem } from "../open-system.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/** Events that a gateway has published. */
async function salesOf(operatorUrl: string): Promise<number> {
  const metrics = await (await fetch(`${operatorUrl}/metrics`)).text();
  const lines = metrics.matchAll(/^tally_gateway_events_total\{.*outcome="confirmed".*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function openDesign(design: "balanced" | "scaled") {
  // Below the checkout, as the bench does it: the servers of a test that runs as root have their own users.
  await mkdir(join(root, ".tally"), { recursive: true });
  const directory = await temporaryDirectory(join(root, ".tally"));
  const system = await openSystem({
    root,
    directory,
    design,
    durability: "confirmed",
    gateways: 2,
    services: undefined,
    settings: {},
    say: () => undefined,
    signal: AbortSignal.timeout(240_000),
  });
  onTestFinished(() => system.close());
  return system;
}

test("scaled begins with one gateway", async () => {
  const { scaled, operatorUrls = [] } = await openDesign("scaled");
  expect(scaled).toMatchObject([{ gateways: 1 }]);
  await salesOf(operatorUrls[0] ?? "");
  await expect(salesOf(operatorUrls[1] ?? "")).rejects.toThrow();
});

test("balanced sends the requests through one balancer to all gateways", async () => {
  const { urls, operatorUrls = [] } = await openDesign("balanced");
  expect(urls).toHaveLength(1);
  expect(operatorUrls).toHaveLength(2);
  for (let sale = 0; sale < 20; sale++) {
    const response = await fetch(`${urls[0]}/purchase/1/customer/1/date/20261122`, {
      method: "POST",
      // The balancer chooses a gateway for each connection.
      headers: { "content-type": "application/json", connection: "close" },
      body: '{"items":[{"ItemID":"1","numberOfItems":1}]}',
    });
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 201 });
  }
  const counts = await Promise.all(operatorUrls.map(salesOf));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});
