import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePorts } from "@tally/local";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { spawnGateway } from "./lone-gateway.ts";
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

test("a rolling restart under load closes connections and nothing else: whoever sends again once is answered, nothing is lost or repeated", async () => {
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
  expect(sold.triesMax).toBe(2);
  expect(sold.ids.size).toBeGreaterThan(500);
  await expectAudited(sold);
}, 120_000);

test("a gateway is not ready before its public port is open", async () => {
  const [port = 0, operatorPort = 0] = await freePorts(2);
  // The gateway waits a second for this Redis, with its operator port open and its broker connected.
  const settings = { DOOR_REDIS_URL: "redis://127.0.0.1:1", HOST: "127.0.0.1", AUTH: "off", HEALTH_KEPT_MS: "0" };
  spawnGateway(system, { ...settings, PORT: String(port), GATEWAY_HEALTH_PORT: String(operatorPort) });
  await vi.waitFor(
    async () => expect((await fetch(`http://127.0.0.1:${operatorPort}/health/ready`)).status).toBe(200),
    { timeout: 20_000, interval: 10 },
  );
  expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
});

test("a gateway that stops answers a request that has begun, and its answer closes the connection", async () => {
  const body = '{"items":[{"ItemID":1,"numberOfItems":1}]}';
  const request = [
    `POST /purchase/1/customer/1/date/20261120 HTTP/1.1`,
    "Host: tally",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
  const silent = connect(system.gateway.port, "127.0.0.1");
  const ended = once(silent, "close");
  // One has sent half of its head, one half of its body.
  const begun = [40, request.length - 20].map((sent) => {
    const connection = connect(system.gateway.port, "127.0.0.1");
    let answer = "";
    connection.on("data", (data) => (answer += data.toString()));
    connection.write(request.slice(0, sent));
    return { connection, ended: once(connection, "close"), rest: request.slice(sent), answer: () => answer };
  });
  await delay(300);
  const stopped = system.gateway.stop();
  await delay(500);
  await ended;
  for (const { connection, rest } of begun) connection.write(rest);
  for (const { ended: answered, answer } of begun) {
    await answered;
    expect(answer()).toMatch(/^HTTP\/1\.1 201 [^]*\r\nconnection: close\r\n/i);
    acknowledged.push(/tally-event-id: (\S+)/i.exec(answer())?.[1] ?? "");
  }
  expect(await stopped).toBe(0);
  await system.gateway.start();
}, 60_000);
