import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Database } from "@tally/database";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { twoContents, type Post } from "./every-domain.ts";
import { startGateway } from "./start-app.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { runTally } from "./run-tally.ts";
import { startSystem, type TestSystem } from "./start-system.ts";
import { tcpSwitch } from "./tcp-switch.ts";

/* One Idempotency-Key with two contents: 422 while gateways remember the key, after that a dead letter. Never a dropped event. */

let system: TestSystem;
let database: Database;
const deadRedis = "redis://127.0.0.1:1";

beforeAll(async () => {
  // The third gateway has no Redis for keys.
  const environmentOf = (app: string, index: number): NodeJS.ProcessEnv =>
    app === "gateway" && index === 2 ? { DOOR_REDIS_URL: deadRedis } : {};
  system = await startSystem({}, { instances: { gateway: 3 }, environmentOf });
  database = openDatabase(system);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

const post = (gateway: number, what: Post, key?: string) => postTo(system.urls[gateway] ?? "", what, key);

async function postTo(url: string, { path, body, type }: Post, key?: string) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": type, ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, id: response.headers.get("tally-event-id") ?? "", body: await response.text() };
}

interface BulkResult {
  readonly index: number;
  readonly status: number;
  readonly id?: string;
  readonly error?: string;
}

async function bulk(gateway: number, entries: readonly object[], key?: string) {
  const all = { path: "/purchases", body: JSON.stringify(entries), type: "application/json" };
  const { status, body } = await post(gateway, all, key);
  // What the assertions look at; a missing field fails them.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { results = [], message } = JSON.parse(body) as { results?: readonly BulkResult[]; message?: string };
  return { status, message, results, ids: results.map(({ id }) => id) };
}

const sale = (storeID: number, quantity: number, more: object = {}) => ({
  storeID,
  custID: 1,
  date: "20261120",
  items: [{ ItemID: 7, numberOfItems: quantity }],
  ...more,
});
const quantitiesOf = async (store: number): Promise<readonly number[]> => {
  const rows = await database.writer.query<{ quantity: number }>(
    "SELECT quantity FROM purchase_items WHERE store_id = ? ORDER BY quantity",
    [store],
  );
  return rows.map(({ quantity }) => quantity);
};

interface Conflict {
  readonly id: string;
  readonly messageId: string;
  readonly reason: string;
  readonly domain: string;
  readonly event: Readonly<Record<string, unknown>>;
}
const conflictsWith = async (eventId: string): Promise<readonly Conflict[]> => {
  const { output } = await runTally(system, ["dead-letters", "list", "--json", "--stage", "conflict"]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (JSON.parse(output) as readonly Conflict[]).filter(({ messageId }) => messageId === eventId);
};

describe.each(twoContents)("$name under the key of an earlier event", ({ first, other }) => {
  const key = randomUUID();

  test("is 422 on every gateway that remembers the key, and a retry of the first is the same event", async () => {
    const { status, id } = await post(0, first, key);
    expect(status).toBeLessThan(300);
    for (const gateway of [0, 1]) {
      const reused = await post(gateway, other, key);
      expect(reused).toMatchObject({ status: 422, id: "" });
      expect(Object.values(JSON.parse(reused.body))).toEqual([
        "Idempotency-Key: expected the content that this key was first sent with, got other content; use a new key for it",
      ]);
      const retry = await post(gateway, first, key);
      expect({ status: retry.status, id: retry.id }).toEqual({ status, id });
    }
  });

  test("is a dead letter when no gateway remembers the key, and a replay stores it", async () => {
    const { id } = await post(0, first, key);
    // Twice: a retry of the other content is the same dead letter.
    for (let n = 0; n < 2; n++) expect(await post(2, other, key)).toMatchObject({ id });
    const [letter] = await vi.waitFor(async () => {
      const letters = await conflictsWith(id);
      expect(letters).toHaveLength(1);
      return letters;
    }, 20_000);
    expect(letter).toMatchObject({ reason: "key reused with different content" });
    const replayed = await runTally(system, ["dead-letters", "replay", letter?.id ?? ""]);
    expect(replayed.output).toContain("replayed 1 of 1");
    await vi.waitFor(async () => {
      const found = await (await fetch(`${system.url}/events/${letter?.id}`)).json();
      expect(found).toMatchObject({ stored: true, domain: letter?.domain });
    }, 15_000);
  });
});

test("the response to a retry of an album is the same, also in the album's id", async () => {
  const album = twoContents.find(({ first }) => first.path === "/albums")?.first;
  if (album === undefined) throw new TypeError("expected an album");
  const key = randomUUID();
  const answers = [await post(0, album, key), await post(1, album, key)];
  expect(answers[1]).toEqual(answers[0]);
});

test.each(twoContents)(
  "a retry of a stored event is the same event after $name took its forgotten key",
  async (pair) => {
    const redis = new Redis(system.addresses.redisUrl);
    try {
      const key = randomUUID();
      const first = await post(0, pair.first, key);
      await vi.waitFor(async () => {
        expect(await (await fetch(`${system.url}/events/${first.id}`)).text()).toContain('"stored":true');
      }, 15_000);
      const name = Buffer.from(first.id.replaceAll("-", ""), "hex");
      await redis.del(Buffer.concat([Buffer.from(`${system.namespace}:idem:`), name]));
      expect(await post(1, pair.other, key)).toMatchObject({ status: first.status, id: first.id });
      for (const gateway of [0, 1]) {
        expect(await post(gateway, pair.first, key)).toMatchObject({ status: first.status, id: first.id });
        expect((await post(gateway, pair.other, key)).status).toBe(422);
      }
    } finally {
      redis.disconnect();
    }
  },
);

test("a key is forgotten after its time, and the writer still decides", async () => {
  const namespace = `${system.namespace}:idem:`;
  const redis = new Redis(system.addresses.redisUrl);
  try {
    const key = randomUUID();
    const [pair] = twoContents;
    if (pair === undefined) throw new TypeError("expected a pair of contents");
    const { id } = await post(0, pair.first, key);
    const name = Buffer.concat([Buffer.from(namespace), Buffer.from(id.replaceAll("-", ""), "hex")]);
    expect(await redis.pttl(name)).toBeGreaterThan(86_300_000);
    await redis.del(name);
    expect(await post(1, pair.other, key)).toMatchObject({ status: 201, id });
    await vi.waitFor(async () => expect(await conflictsWith(id)).toHaveLength(1), 20_000);
  } finally {
    redis.disconnect();
  }
});

test("a request without a key sends nothing to Redis", async () => {
  const [pair] = twoContents;
  if (pair === undefined) throw new TypeError("expected a pair of contents");
  const way = await tcpSwitch(system.addresses.redisUrl);
  const gateway = await startGateway(system, { AUTH: "off", REDIS_URL: way.url });
  const bytesOf = async (work: () => Promise<unknown>) => {
    const before = way.bytesSent();
    await work();
    return way.bytesSent() - before;
  };
  const withKey = () => postTo(gateway.url, pair.first, randomUUID());
  try {
    // The gateway's start ends with the connection to Redis.
    const bytesOfKey = await vi.waitFor(async () => {
      const counts = [await bytesOf(withKey), await bytesOf(withKey)];
      expect(counts[0]).toBe(counts[1]);
      expect(counts[0]).toBeGreaterThan(0);
      return counts[0];
    }, 5000);
    const bytesOfAll = await bytesOf(async () => {
      for (const { first } of twoContents) expect((await postTo(gateway.url, first)).status).toBeLessThan(300);
      // Redis gets this one after all that the others have sent.
      await withKey();
    });
    expect(bytesOfAll).toBe(bytesOfKey);
  } finally {
    await gateway.stop();
    await way.close();
  }
});

test("a Redis that does not answer is not asked by every keyed request, and all of them are accepted", async () => {
  const [pair] = twoContents;
  if (pair === undefined) throw new TypeError("expected a pair of contents");
  const way = await tcpSwitch(system.addresses.redisUrl);
  const gateway = await startGateway(system, { AUTH: "off", DOOR_REDIS_URL: way.url });
  const sell = async () => expect((await postTo(gateway.url, pair.first, randomUUID())).status).toBe(201);
  try {
    await sell();
    way.freeze();
    await vi.waitFor(
      async () => {
        // The first of these may ask, and wait for a second.
        await sell();
        const before = way.bytesSent();
        await Promise.all([sell(), sell(), sell()]);
        expect(way.bytesSent()).toBe(before);
      },
      { timeout: 20_000, interval: 10 },
    );
  } finally {
    await gateway.stop();
    await way.close();
  }
}, 60_000);

describe("a bulk request", () => {
  test("with a key and other content is 422 as a whole, and stores nothing", async () => {
    const first = await bulk(0, [sale(21, 1), sale(-1, 2)], "u1");
    expect(first.results.map(({ status }) => status)).toEqual([201, 400]);
    // The corrected entry alone: it once got the id of entry 0, and was stored nowhere.
    const partial = await bulk(1, [sale(21, 2)], "u1");
    expect(partial).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^Idempotency-Key: expected the content/),
    });
    await vi.waitFor(async () => expect(await quantitiesOf(21)).toEqual([1]), 10_000);
  });

  test("with a key and the same content has the same results, equal entries included", async () => {
    const entries = [sale(22, 1), sale(22, 1), { nonsense: 1 }, sale(22, 2)];
    const first = await bulk(0, entries, "u2");
    const again = await bulk(1, entries, "u2");
    expect(again).toEqual(first);
    expect(new Set(first.ids).size).toBe(4);
    await bulk(0, [sale(22, 9)]);
    await vi.waitFor(async () => expect(await quantitiesOf(22)).toEqual([1, 1, 2, 9]), 10_000);
  });

  test("a part of it, sent where the key is not remembered, neither loses nor doubles a sale", async () => {
    const first = await bulk(0, [sale(23, 1), sale(23, 2), sale(-1, 3)], "u3");
    const partial = await bulk(2, [sale(23, 3), sale(23, 2)], "u3");
    expect(partial.status).toBe(201);
    expect(partial.ids[1]).toBe(first.ids[1]);
    expect(first.ids).not.toContain(partial.ids[0]);
    await vi.waitFor(async () => expect(await quantitiesOf(23)).toEqual([1, 2, 3]), 10_000);
  });

  test("whose entries have keys can be retried in parts", async () => {
    const first = await bulk(0, [sale(24, 1, { idempotencyKey: "a" }), sale(24, 0, { idempotencyKey: "b" })]);
    expect(first.results.map(({ status }) => status)).toEqual([201, 400]);
    const partial = await bulk(1, [sale(24, 2, { idempotencyKey: "b" }), sale(24, 1, { idempotencyKey: "a" })]);
    expect(partial).toMatchObject({ status: 201, ids: [expect.any(String), first.ids[0]] });
    await vi.waitFor(async () => expect(await quantitiesOf(24)).toEqual([1, 2]), 10_000);
  });

  test("an entry that reuses another entry's key is 422, and the others are stored", async () => {
    const entries = [sale(25, 1, { idempotencyKey: "a" }), sale(25, 2, { idempotencyKey: "a" }), sale(25, 3)];
    const { status, results } = await bulk(0, entries);
    expect(status).toBe(207);
    expect(results.map((one) => [one.status, one.error?.split(":")[0]])).toEqual([
      [201, undefined],
      [422, "idempotencyKey"],
      [201, undefined],
    ]);
    await vi.waitFor(async () => expect(await quantitiesOf(25)).toEqual([1, 3]), 10_000);
  });

  test("where keys are not remembered, that entry is a dead letter although both arrive in one batch", async () => {
    const entries = [1, 2, 2, 3].map((quantity) => sale(26, quantity, { idempotencyKey: "a" }));
    const { status, ids } = await bulk(2, entries);
    expect({ status, ids: new Set(ids).size }).toEqual({ status: 201, ids: 1 });
    await vi.waitFor(async () => {
      const lines = (await conflictsWith(ids[0] ?? "")).map(({ event }) => JSON.stringify(event["lines"]));
      expect(new Set(lines)).toEqual(new Set(["[[7,2]]", "[[7,3]]"]));
    }, 20_000);
    expect(await quantitiesOf(26)).toEqual([1]);
  });

  test.each(["\ud800", "\ud801", "", "a b", "é", "k".repeat(256)])(
    "rejects the entry's key %j",
    async (idempotencyKey) => {
      const { status, results } = await bulk(0, [sale(27, 1, { idempotencyKey })]);
      expect(status).toBe(400);
      expect(results[0]?.error).toMatch(/^idempotencyKey: expected 1 to 255 visible ASCII characters, got /);
    },
  );
});

test("the audit agrees and reports the conflicts; the writer counts and logs each", async () => {
  const [pair] = twoContents;
  if (pair === undefined) throw new TypeError("expected a pair of contents");
  const { id } = await post(0, pair.first, "audited");
  await post(2, pair.other, "audited");
  await vi.waitFor(async () => expect(await conflictsWith(id)).toHaveLength(1), 20_000);
  const { output } = await runTally(system, ["audit", "--json", "--domain", "purchases"]);
  const report = JSON.parse(output);
  expect(report).toMatchObject({ agrees: true, audit: { keyConflicts: expect.any(Number) } });
  expect(report.domains[0].keyConflicts.open).toBeGreaterThanOrEqual(1);
  expect((await runTally(system, ["audit"])).output).toMatch(/\d+ acknowledged events used the key of another event/);
  const log = await readFile(system.writer.logFile, "utf8");
  expect(log).toContain(`"reason":"key reused with different content","storedEvent":"${id}"`);
  const metrics = await (await fetch(`http://127.0.0.1:${system.writer.port}/metrics`)).text();
  expect(metrics).toMatch(/tally_writer_key_conflicts_total\{[^}]*domain="purchases"[^}]*\} [1-9]/);
}, 120_000);
