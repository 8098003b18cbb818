import { openTcpProxy } from "@tally/local";
import { expect, test, vi } from "vitest";
import { entry } from "./http/requests.ts";
import { startGateway } from "./kit/programs.ts";
import { sell as sellAt } from "./kit/sales.ts";
import { openDatabase, startSystem } from "./kit/system.ts";
import { bearer, createKey } from "./kit/tally.ts";

// One token a second, so that few come during a test.
const settings = {
  AUTH: "required",
  RATE_LIMIT_PER_KEY: "1",
  RATE_LIMIT_PER_KEY_BURST: "20",
  RATE_LIMIT_PER_ADDRESS: "1",
  RATE_LIMIT_PER_ADDRESS_BURST: "10",
  TRUST_PROXY: "127.0.0.0/8",
};

const system = await startSystem(settings, { instances: { gateway: 2 } });
const database = openDatabase(system);

const newKey = (...flags: readonly string[]) => createKey(system, "--scope", "*:read", "*:write", ...flags);
const sell = (url: string, store: number, headers: Readonly<Record<string, string>>) => sellAt(url, store, { headers });
const bulk = (url: string, store: number, entries: number, headers: Readonly<Record<string, string>>) =>
  fetch(`${url}/purchases`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: `[${Array<string>(entries).fill(entry(store)).join()}]`,
  });
const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status);
const count = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;
const from = (address: string) => ({ "x-forwarded-for": address });
const rowsOf = (store: number) => database.writer.query("SELECT id FROM purchases WHERE store_id = ?", [store]);

/** Sends requests to both gateways in turn, all at once. Returns the statuses, one response with 429, and the time it took. */
async function atOnce(requests: number, one: (url: string) => Promise<Response>) {
  const startedAt = performance.now();
  const sent = Array.from({ length: requests }, (_, n) => one(system.urls[n % 2] ?? ""));
  const responses = await Promise.all(sent);
  const refused = responses.find(({ status }) => status === 429) ?? expect.fail("expected a 429 among the responses");
  return { statuses: statusesOf(responses), refused, seconds: (performance.now() - startedAt) / 1000 };
}

test("a key's limit holds across gateways; requests beyond it get 429 and leave no row", async () => {
  const { key } = await newKey("--rate", "1", "--burst", "30");
  // createKey has taken two.
  const { statuses, seconds } = await atOnce(200, (url) => sell(url, 50, bearer(key)));
  const taken = count(statuses, 201);
  expect(taken + count(statuses, 429)).toBe(200);
  expect(taken).toBeGreaterThanOrEqual(28);
  expect(taken).toBeLessThanOrEqual(30 + Math.ceil(seconds));
  await vi.waitFor(async () => expect(await rowsOf(50)).toHaveLength(taken), 15_000);
});

test("a 429 names the time to retry, and then the request is accepted", async () => {
  const { key } = await newKey("--rate", "2", "--burst", "20");
  const { refused } = await atOnce(60, (url) => sell(url, 51, bearer(key)));
  expect(await refused.json()).toEqual({
    message: "too many requests: expected at most 2 events/s; send it again later",
  });
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.headers.get("ratelimit-policy")).toBe('"key";q=20;w=10');
  expect(refused.headers.get("ratelimit")).toMatch(/^"key";r=0;t=(9|10)$/);
  await vi.waitFor(async () => {
    const taken = await sell(system.url, 51, bearer(key));
    expect(taken.status).toBe(201);
    expect(taken.headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+$/);
  }, 5000);
});

test("a key without a limit has that of the settings; each key has its own bucket", async () => {
  const [one, other] = [await newKey(), await newKey()];
  const { refused } = await atOnce(60, (url) => sell(url, 52, bearer(one.key)));
  expect(refused.headers.get("ratelimit-policy")).toBe('"key";q=20;w=20');
  expect((await sell(system.url, 52, bearer(other.key))).status).toBe(201);
});

test("a bulk request costs as many tokens as it has entries, and stores all of them or none", async () => {
  const { key } = await newKey("--rate", "1", "--burst", "100");
  const first = await bulk(system.url, 53, 80, bearer(key));
  expect(first.status).toBe(201);
  const left = Number(/r=(\d+)/.exec(first.headers.get("ratelimit") ?? "")?.[1]);
  // createKey has taken two.
  expect(left).toBeGreaterThanOrEqual(18);
  expect(left).toBeLessThanOrEqual(25);
  const second = await bulk(system.urls[1] ?? "", 53, 40, bearer(key));
  expect(second.status).toBe(429);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(10);
  expect((await sell(system.url, 53, bearer(key))).status).toBe(201);
  const tooMany = await bulk(system.url, 53, 101, bearer(key));
  expect([tooMany.status, await tooMany.json()]).toEqual([
    413,
    { message: "body: expected at most 100 entries, the burst of the rate limit, got 101" },
  ]);
  await vi.waitFor(async () => expect(await rowsOf(53)).toHaveLength(81), 15_000);
});

test("requests without a valid key are limited by their address across gateways: 401, then 429", async () => {
  const headers = from("203.0.113.60");
  const { statuses, seconds } = await atOnce(60, (url) => sell(url, 54, headers));
  const unauthorised = count(statuses, 401);
  expect(unauthorised + count(statuses, 429)).toBe(60);
  expect(unauthorised).toBeGreaterThanOrEqual(10);
  expect(unauthorised).toBeLessThanOrEqual(10 + Math.ceil(seconds));
  const wrongKey = await atOnce(30, (url) => sell(url, 54, { ...headers, "x-api-key": "tally_x" }));
  expect(wrongKey.refused.headers.get("ratelimit-policy")).toBe('"address";q=10;w=10');
  // Another address, and a valid key from the same address, are not limited by it.
  expect((await sell(system.url, 54, from("203.0.113.61"))).status).toBe(401);
  const { key } = await newKey();
  expect((await sell(system.url, 54, { ...headers, ...bearer(key) })).status).toBe(201);
  expect((await fetch(`${system.url}/health/live`, { headers })).status).toBe(200);
});

test.each([
  ["open", 201],
  ["closed", 503],
])(
  "while Redis is down a gateway that fails %s responds with %i; afterwards it limits again",
  async (fails, expected) => {
    const proxy = await openTcpProxy(system.addresses.redisUrl);
    const { key } = await newKey("--rate", "1", "--burst", "25");
    const gateway = await startGateway(system, { ...settings, DOOR_REDIS_URL: proxy.url, RATE_LIMIT_FAILS: fails });
    try {
      await vi.waitFor(async () => {
        expect((await sell(gateway.url, 56, bearer(key))).headers.get("ratelimit")).not.toBeNull();
      }, 5000);
      proxy.become({ name: "cut" });
      await vi.waitFor(async () => {
        const responses = await Promise.all(Array.from({ length: 40 }, () => sell(gateway.url, 56, bearer(key))));
        expect(new Set(statusesOf(responses))).toEqual(new Set([expected]));
        expect(responses[0]?.headers.get("retry-after")).toBe(expected === 503 ? "1" : null);
      }, 10_000);
      proxy.become({ name: "open" });
      await vi.waitFor(async () => {
        expect((await sell(gateway.url, 56, bearer(key))).headers.get("ratelimit")).not.toBeNull();
      }, 10_000);
      const { statuses } = await atOnce(60, () => sell(gateway.url, 56, bearer(key)));
      expect(count(statuses, 429)).toBeGreaterThan(20);
    } finally {
      await gateway.stop();
      await proxy.close();
    }
  },
  60_000,
);
