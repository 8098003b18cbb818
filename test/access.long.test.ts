import { setTimeout as delay } from "node:timers/promises";
import { openTcpProxy } from "@tally/local";
import { expect, onTestFinished, test, vi } from "vitest";
import { spawnGateway, startGateway } from "./kit/programs.ts";
import { expectJson, sell as sellAt, sellMany } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { bearer, createKey, runTally } from "./kit/tally.ts";

/*
 * Rate limits of keys and addresses, and what a gateway does without Redis or without the database that has the keys.
 */

// One token a second, so that few come during a test.
const settings = {
  AUTH: "required",
  RATE_LIMIT_PER_KEY: "1",
  RATE_LIMIT_PER_KEY_BURST: "20",
  RATE_LIMIT_PER_ADDRESS: "1",
  RATE_LIMIT_PER_ADDRESS_BURST: "10",
  // A 503 shows a request that was not checked, because Redis did not reply within 250 ms.
  RATE_LIMIT_FAILS: "closed",
  TRUST_PROXY: "127.0.0.0/8",
};

const system = await startSystem(settings, { instances: { gateway: 2 } });
const database = openDatabase(system);

type Headers = Readonly<Record<string, string>>;
const newKey = (...flags: readonly string[]) => createKey(system, "--scope", "*:read", "*:write", ...flags);
const sell = (url: string, store: number, headers: Headers) => sellAt(url, store, { headers });
const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status);
const count = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;
const from = (address: number): Headers => ({ "x-forwarded-for": `203.0.113.${address}` });
let [nextStore, nextAddress] = [100, 1];
const rowsOf = (store: number) => database.writer.query("SELECT id FROM purchases WHERE store_id = ?", [store]);

/** Sends a request again until it was checked. */
async function checked(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    if (response.status !== 503) return response;
    await delay(1000);
  }
}

/** Sends sales to both gateways in turn, all at once. Again with new headers and another store, until all were checked.
 * Returns both, the statuses, one response with 429, and the time it took. */
async function atOnce(requests: number, newHeaders: () => Promise<Headers> | Headers) {
  for (;;) {
    const [headers, store] = [await newHeaders(), nextStore++];
    const startedAt = performance.now();
    const sent = Array.from({ length: requests }, (_, n) => sell(system.urls[n % 2] ?? "", store, headers));
    const responses = await Promise.all(sent);
    const seconds = (performance.now() - startedAt) / 1000;
    const statuses = statusesOf(responses);
    if (statuses.includes(503)) {
      await delay(1000);
      continue;
    }
    const rejected =
      responses.find(({ status }) => status === 429) ?? expect.fail("expected a 429 among the responses");
    return { headers, store, statuses, rejected, seconds };
  }
}

test("a key's limit holds across gateways; requests beyond it get 429 with the time to retry and leave no row", async () => {
  // createKey has taken two.
  const newHeaders = async () => bearer((await newKey("--rate", "1", "--burst", "30")).key);
  const { headers, store, statuses, rejected, seconds } = await atOnce(200, newHeaders);
  const taken = count(statuses, 201);
  expect(taken + count(statuses, 429)).toBe(200);
  expect(taken).toBeGreaterThanOrEqual(28);
  expect(taken).toBeLessThanOrEqual(30 + Math.ceil(seconds));
  await expect.poll(() => rowsOf(store)).toHaveLength(taken);
  await expectJson(rejected, 429, {
    message: "too many requests: expected at most 1 events/s; send it again later",
  });
  expect(rejected.headers.get("retry-after")).toBe("1");
  expect(rejected.headers.get("ratelimit-policy")).toBe('"key";q=30;w=30');
  expect(rejected.headers.get("ratelimit")).toMatch(/^"key";r=0;t=(29|30)$/);
  await vi.waitFor(async () => {
    const later = await sell(system.url, store, headers);
    expect(later.status).toBe(201);
    expect(later.headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+$/);
  }, 20_000);
});

test("a bulk request costs as many tokens as it has entries, and stores all of them or none", async () => {
  const { key } = await newKey("--rate", "1", "--burst", "100");
  const first = await checked(() => sellMany(system.url, 53, 80, bearer(key)));
  expect(first.status).toBe(201);
  const leftOf = ({ headers }: Response) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  const left = leftOf(first);
  // createKey has taken two.
  expect(left).toBeGreaterThanOrEqual(18);
  expect(left).toBeLessThanOrEqual(25);
  const second = await checked(() => sellMany(system.urls[1] ?? "", 53, 40, bearer(key)));
  expect(second.status).toBe(429);
  // One token a second, until there are 40 again: the rejected request took one, and its retry takes that too.
  expect(Number(second.headers.get("retry-after"))).toBe(40 - leftOf(second));
  expect((await checked(() => sell(system.url, 53, bearer(key)))).status).toBe(201);
  const tooMany = await checked(() => sellMany(system.url, 53, 101, bearer(key)));
  await expectJson(tooMany, 413, {
    message: "body: expected at most 100 entries, the burst of the rate limit, got 101",
  });
  await expect.poll(() => rowsOf(53)).toHaveLength(81);
});

test("requests without a valid key are limited by their address across gateways: 401, then 429", async () => {
  const { headers, statuses, seconds } = await atOnce(60, () => from(nextAddress++));
  const unauthorised = count(statuses, 401);
  expect(unauthorised + count(statuses, 429)).toBe(60);
  expect(unauthorised).toBeGreaterThanOrEqual(10);
  expect(unauthorised).toBeLessThanOrEqual(10 + Math.ceil(seconds));
  const wrongKey = await atOnce(30, () => ({ ...headers, "x-api-key": "tally_x" }));
  expect(wrongKey.rejected.headers.get("ratelimit-policy")).toBe('"address";q=10;w=10');
  // Another address, and a valid key from the same address, are not limited by it.
  const other = from(nextAddress++);
  expect((await checked(() => sell(system.url, 54, other))).status).toBe(401);
  const { key } = await newKey();
  const own = { ...headers, ...bearer(key) };
  expect((await checked(() => sell(system.url, 54, own))).status).toBe(201);
  expect((await fetch(`${system.url}/health/live`, { headers })).status).toBe(200);
});

test("a raised limit holds at once for those whose bucket is empty", async () => {
  const { url } = await startGateway(system, { ...settings, RATE_LIMIT_PER_ADDRESS: "1000" });
  const { headers } = await atOnce(60, () => from(nextAddress++));
  await expect.poll(async () => (await sell(url, 54, headers)).status, { timeout: 5000 }).toBe(401);
});

test.each([
  ["open", 201],
  ["closed", 503],
])(
  "while Redis is down a gateway that fails %s responds with %i; afterwards it limits again",
  async (fails, expected) => {
    const proxy = await openTcpProxy(system.addresses.redisUrl);
    onTestFinished(() => proxy.close());
    const { key } = await newKey("--rate", "1", "--burst", "25");
    const gateway = await startGateway(system, { ...settings, DOOR_REDIS_URL: proxy.url, RATE_LIMIT_FAILS: fails });
    const limit = async () => (await sell(gateway.url, 56, bearer(key))).headers.get("ratelimit");
    await expect.poll(limit).not.toBeNull();
    proxy.become({ name: "cut" });
    await vi.waitFor(async () => {
      const responses = await Promise.all(Array.from({ length: 40 }, () => sell(gateway.url, 56, bearer(key))));
      expect(new Set(statusesOf(responses))).toEqual(new Set([expected]));
      expect(responses[0]?.headers.get("retry-after")).toBe(expected === 503 ? "1" : null);
    }, 30_000);
    proxy.become({ name: "open" });
    await expect.poll(limit).not.toBeNull();
    await vi.waitFor(async () => {
      const responses = await Promise.all(Array.from({ length: 60 }, () => sell(gateway.url, 56, bearer(key))));
      expect(count(statusesOf(responses), 429)).toBeGreaterThan(20);
    }, 20_000);
  },
);

test("without the database a new gateway responds with 503; later known keys work, and others get 503", async () => {
  const { id, key } = await newKey();
  const proxy = await openTcpProxy(system.addresses.databaseWriteUrl);
  onTestFinished(() => proxy.close());
  proxy.become({ name: "cut" });
  const { url } = await startGateway(system, { AUTH: "required", DATABASE_WRITE_URL: proxy.url });
  const statusOf = async (own: string) => {
    const response = await fetch(`${url}/items/store/1`, { headers: { "x-api-key": own } });
    return [response.status, response.headers.get("retry-after")];
  };
  expect(await statusOf(key)).toEqual([503, "2"]);
  proxy.become({ name: "open" });
  await expect.poll(() => statusOf(key)).toEqual([200, null]);
  proxy.become({ name: "cut" });
  const unknown = await newKey();
  await expect.poll(() => statusOf(unknown.key)).toEqual([503, "2"]);
  expect(await statusOf(`${key.slice(0, -1)}_`)).toEqual([503, "2"]);
  expect(await statusOf("no key")).toEqual([401, null]);
  expect(await statusOf(key)).toEqual([200, null]);
  await runTally(system, ["keys", "revoke", id]);
  proxy.become({ name: "open" });
  await vi.waitFor(async () => {
    expect(await statusOf(unknown.key)).toEqual([200, null]);
    expect(await statusOf(key)).toEqual([401, null]);
  }, 15_000);
});

test.each(["0.0.0.0", "tally.example"])(
  "AUTH=off with HOST=%s, which other machines reach, ends the start with status 2",
  async (host) => {
    const gateway = spawnGateway(system, { AUTH: "off", HOST: host, PORT: "0" });
    expect(await gateway.ended).toBe(2);
    expect(gateway.output()).toContain(`AUTH: expected required; or off with a HOST on a loopback address`);
    expect(gateway.output()).toContain(`got off with HOST=${host}`);
    expect(gateway.output()).not.toMatch(/^\s+at /m);
  },
);

test.each([
  ["AUTH=off may be confirmed", { AUTH: "off", AUTH_OFF_CONFIRMED: "yes", HOST: "0.0.0.0" }, 200],
  ["AUTH=required is the default", {}, 401],
])("%s", async (_name, own, status) => {
  const gateway = await startGateway(system, own);
  expect((await fetch(`${gateway.url}/items/store/1`)).status).toBe(status);
  expect(await gateway.stop()).toBe(0);
});
