import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { freePorts, type Balancer } from "@tally/local";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { balance, makeCertificates } from "./kit/fronts.ts";
import { spawnGateway } from "./kit/programs.ts";
import { expectJson, keepSending, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { auditOf } from "./kit/tally.ts";

// A busy broker, or a gateway that still connects to it, must fail no request.
const patient = { CONFIRM_WITHIN_MS: "20000" };
const system = await startSystem(
  { TRUST_PROXY: "127.0.0.1", DRAIN_MS: "6000", ...patient },
  { instances: { gateway: 2, writer: 2 } },
);

const serves = (balancer: Balancer, count: number) => expect.poll(() => balancer.serving()).toBe(count);

/** Eight clients that send sales without a key, one after the other, each once. */
function sendWithoutKeys(url: string) {
  const sent = { ids: Array<string>(), failures: 0, stop };
  let isStopping = false;
  const client = async (): Promise<void> => {
    while (!isStopping) {
      await sold(url, 9).then(
        (id) => sent.ids.push(id),
        () => sent.failures++,
      );
    }
  };
  const all = Promise.all(Array.from({ length: 8 }, client));
  async function stop(): Promise<void> {
    isStopping = true;
    await all;
  }
  return sent;
}

test("apps restart without a failed request; a killed gateway fails only what it had without a key", async () => {
  const balancer = await balance({ gateways: system.urls });
  const keyed = keepSending([balancer.url], 8);
  const unkeyed = sendWithoutKeys(balancer.url);
  const more = async (): Promise<void> => {
    const [sent, others] = [keyed.count, unkeyed.ids.length];
    await vi.waitFor(() => {
      expect(keyed.count).toBeGreaterThan(sent + 200);
      expect(unkeyed.ids.length).toBeGreaterThan(others + 200);
    }, 60_000);
  };
  await more();

  const stopped = system.server("gateway-1").stop();
  await serves(balancer, 1);
  expect(await stopped).toBe(0);
  await more();
  await system.server("gateway-1").start();
  await serves(balancer, 2);
  for (const app of [...system.writers, ...system.rankers]) {
    expect(await app.stop()).toBe(0);
    await app.start();
  }
  await more();
  expect(unkeyed.failures).toBe(0);

  system.server("gateway-2").kill("SIGKILL");
  await serves(balancer, 1);
  await more();
  await system.server("gateway-2").start();
  await serves(balancer, 2);
  await more();

  await unkeyed.stop();
  const { ids, statuses, triesMax } = await keyed.stop();
  // Each of its clients had at most one request at the killed gateway.
  expect(unkeyed.failures).toBeLessThanOrEqual(8);
  expect([statuses, triesMax]).toEqual([{ 201: expect.any(Number) }, 1]);
  const acknowledged = [...ids.values(), ...unkeyed.ids];
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(await auditOf(system, acknowledged)).toMatchObject({
    agrees: true,
    audit: { acknowledged: acknowledged.length, lost: 0, doubled: 0 },
  });
});

test("as in Docker, the balancer finds the gateways by the addresses of their name; one that does not serve yet fails no request", async () => {
  const [port = 0] = await freePorts(1);
  const hosts = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];
  const gateways = hosts.map((host) => `http://${host}:${port}`);
  const start = async (from: number, to: number): Promise<void> => {
    for (const host of hosts.slice(from, to))
      spawnGateway(system, { HOST: host, PORT: String(port), AUTH: "off", ...patient });
    const isLive = async (url: string) => (await fetch(`${url}/health/live`)).status === 200;
    for (const url of gateways.slice(from, to))
      await expect.poll(() => isLive(url).catch(() => false), { timeout: 90_000 }).toBe(true);
  };
  await start(0, 2);
  const balancer = await balance({ gateways: gateways.slice(0, 2), findBy: "addresses" });
  const clients = sendWithoutKeys(balancer.url);
  balancer.setGateways(gateways);
  await start(2, 4);
  await serves(balancer, 4);
  await clients.stop();
  expect(clients.failures).toBe(0);
  expect(clients.ids.length).toBeGreaterThan(0);
  balancer.setGateways(gateways.slice(1));
  await serves(balancer, 3);
});

test("a gateway that drains serves all but its health check, also on new connections, and then closes", async () => {
  const stopped = system.server("gateway-2").stop();
  const url = system.urls[1] ?? "";
  const headers = { connection: "close" };
  const stopping = { message: "this gateway is stopping; send requests to another one" };
  const drains = async () => expectJson(await fetch(`${url}/health/live`, { headers }), 503, stopping);
  await vi.waitFor(drains, { timeout: 10_000, interval: 20 });
  expect((await fetch(`${url}/views`, { headers })).status).toBe(200);
  expect(await stopped).toBe(0);
  await expect(fetch(`${url}/health/live`)).rejects.toThrow("fetch failed");
  await system.server("gateway-2").start();
});

test("without a gateway a client gets 503 with Retry-After, as from a gateway", async () => {
  const { url, operatorUrl, ...balancer } = await balance({ gateways: system.urls.slice(0, 1) });
  const [stopped, gone] = [system.gateway.stop(), serves({ url, operatorUrl, ...balancer }, 0)];
  await gone;
  const response = await fetch(`${url}/status`);
  expect(response.headers.get("retry-after")).toBe("1");
  const noGateway = "not taken: no gateway is available at the moment; send it again later";
  await expectJson(response, 503, { message: noGateway });
  expect((await fetch(`${operatorUrl}/health/ready`)).status).toBe(503);
  await stopped;
  await system.gateway.start();
  await serves({ url, operatorUrl, ...balancer }, 1);
  expect((await fetch(`${url}/status`)).status).toBe(200);
});

test("with a certificate the balancer speaks TLS", async () => {
  const [port = 0] = await freePorts(1);
  const directory = await temporaryDirectory();
  const { authority, certificate, key } = makeCertificates(directory, "tally.test");
  const both = join(directory, "both.pem");
  writeFileSync(both, readFileSync(certificate, "utf8") + readFileSync(key, "utf8"));
  const variables = { TALLY_CERTIFICATE: both, TALLY_TLS: `127.0.0.1:${port}` };
  await balance({ gateways: system.urls, variables });
  const options = {
    host: "127.0.0.1",
    port,
    path: "/health/live",
    servername: "tally.test",
    ca: readFileSync(authority),
  };
  const status = await new Promise((resolve, reject) => {
    get(options, (response) => resolve(response.resume().statusCode)).once("error", reject);
  });
  expect(status).toBe(200);
});

test("every time limit of the balancer for idle connections is shorter than the gateway's 65 s", () => {
  const configuration = readFileSync(join(import.meta.dirname, "..", "infra", "haproxy", "haproxy.cfg"), "utf8");
  const limits = Array.from(
    configuration.matchAll(/^ +timeout (client|server|http-keep-alive) (\d+)s$/gm),
    ([, name, seconds]) => [name, Number(seconds)] as const,
  );
  expect(limits.map(([name]) => name)).toEqual(["client", "server", "http-keep-alive"]);
  for (const [, seconds] of limits) expect(seconds).toBeLessThan(65);
});
