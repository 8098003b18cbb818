import { openTcpProxy } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { spawnGateway, startGateway } from "./kit/programs.ts";
import { startSystem } from "./kit/system.ts";
import { createKey, runTally } from "./kit/tally.ts";

const system = await startSystem({ AUTH: "required" });

const newKey = () => createKey(system, "--scope", "*:write", "*:read");

/** A gateway whose database is behind a proxy. */
async function startProxied(state: "open" | "cut") {
  const proxy = await openTcpProxy(system.addresses.databaseWriteUrl);
  onTestFinished(() => proxy.close());
  proxy.become({ name: state });
  const { url } = await startGateway(system, { AUTH: "required", DATABASE_WRITE_URL: proxy.url });
  const statusOf = async (key: string) => {
    const response = await fetch(`${url}/items/store/1`, { headers: { "x-api-key": key } });
    return [response.status, response.headers.get("retry-after")];
  };
  return { proxy, statusOf };
}

test("while the database is down known keys work and others get 503; afterwards both are as they should be", async () => {
  const { id, key } = await newKey();
  const { proxy, statusOf } = await startProxied("open");
  await vi.waitFor(async () => expect(await statusOf(key)).toEqual([200, null]), 5000);
  proxy.become({ name: "cut" });
  const unknown = await newKey();
  await vi.waitFor(async () => expect(await statusOf(unknown.key)).toEqual([503, "2"]), 15_000);
  expect(await statusOf(`${key.slice(0, -1)}_`)).toEqual([503, "2"]);
  expect(await statusOf("no key")).toEqual([401, null]);
  expect(await statusOf(key)).toEqual([200, null]);
  await runTally(system, ["keys", "revoke", id]);
  proxy.become({ name: "open" });
  await vi.waitFor(async () => {
    expect(await statusOf(unknown.key)).toEqual([200, null]);
    expect(await statusOf(key)).toEqual([401, null]);
  }, 15_000);
}, 60_000);

test("a gateway that started while the database is down responds with 503 until it has read the keys", async () => {
  const { key } = await newKey();
  const { proxy, statusOf } = await startProxied("cut");
  expect(await statusOf(key)).toEqual([503, "2"]);
  proxy.become({ name: "open" });
  await vi.waitFor(async () => expect(await statusOf(key)).toEqual([200, null]), 15_000);
}, 60_000);

test.each(["0.0.0.0", "::", "10.1.2.3", "tally.example"])(
  "AUTH=off with HOST=%s, which other machines reach, ends the start with status 2",
  async (host) => {
    const gateway = spawnGateway(system, { AUTH: "off", HOST: host, PORT: "0" });
    expect(await gateway.ended()).toBe(2);
    expect(gateway.output()).toContain(`AUTH: expected required; or off with a HOST on a loopback address`);
    expect(gateway.output()).toContain(`got off with HOST=${host}`);
    expect(gateway.output()).not.toMatch(/^\s+at /m);
  },
);

test.each([
  ["AUTH=off may be confirmed", { AUTH: "off", AUTH_OFF_CONFIRMED: "yes", HOST: "0.0.0.0" }, 200],
  ["AUTH=required is the default", {}, 401],
])("%s", async (_name, settings, status) => {
  const gateway = await startGateway(system, settings);
  expect((await fetch(`${gateway.url}/items/store/1`)).status).toBe(status);
  expect(await gateway.stop()).toBe(0);
});
