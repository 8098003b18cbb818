import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { openTcpProxy } from "@tally/local";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { field, file, picture } from "./http/requests.ts";
import { startGateway } from "./kit/programs.ts";
import { postJson, sell, sendForm } from "./kit/sales.ts";
import { openRedis, startSystem } from "./kit/system.ts";
import { deadLetters, expectEnd, runTally, tallyJson } from "./kit/tally.ts";

/*
 * One Idempotency-Key, several requests. The same content is one event. Other content gets 422 while gateways remember
 * the key, after that it becomes a dead letter; an event is never dropped. What one gateway responds is in the cases of
 * contract.test.ts.
 */

// The third gateway has no Redis for keys.
const environmentOf = (app: string, index: number): NodeJS.ProcessEnv =>
  app === "gateway" && index === 2 ? { DOOR_REDIS_URL: "redis://127.0.0.1:1" } : {};
const system = await startSystem({}, { instances: { gateway: 3 }, environmentOf });

/** Posts one event to a gateway. */
type Post = (url: string, headers: Readonly<Record<string, string>>) => Promise<Response>;

const sale =
  (quantity: number, customer = 1, date = "20261120"): Post =>
  (url, headers) =>
    sell(url, 7, { quantity, customer, date, headers });
const swipe =
  (side: string, comment: string): Post =>
  (url, headers) =>
    postJson(`${url}/swipe/${side}`, { swiper: "3", swipee: "4", comment }, headers);
const steps =
  (count: number): Post =>
  (url, headers) =>
    fetch(`${url}/steps/5/1/0/${count}`, { method: "POST", headers });
const album = (title: string, imageBytes: number): Post => {
  const profile = field("profile", JSON.stringify({ artist: "A", title, year: "2000" }));
  const parts = [file("image", picture("png", imageBytes)), profile];
  return (url, headers) => sendForm(`${url}/albums`, parts, headers);
};

/** A POST of one event in two versions, for each way in which two events can differ. A test uses each pair with a new
 * key. */
const twoContents = [
  { name: "a sale of another quantity", first: sale(1), other: sale(2) },
  { name: "a sale to another customer", first: sale(1), other: sale(1, 2) },
  { name: "a sale of another day", first: sale(1), other: sale(1, 1, "20261121") },
  { name: "a swipe to the other side", first: swipe("left", "a"), other: swipe("right", "a") },
  { name: "a swipe with another comment", first: swipe("left", "a"), other: swipe("left", "b") },
  { name: "other steps", first: steps(1), other: steps(2) },
  { name: "an album with another title", first: album("T", 100), other: album("U", 100) },
  { name: "an album with another image", first: album("T", 300_000), other: album("T", 300_001) },
] as const;
const [{ first: oneSale, other: otherSale }] = twoContents;

const post = (gateway: number, what: Post, key: string) => postTo(system.urls[gateway] ?? "", what, key);
async function postTo(url: string, what: Post, key: string) {
  const response = await what(url, { "idempotency-key": key });
  return { status: response.status, id: response.headers.get("tally-event-id") ?? "", body: await response.text() };
}

const conflictWith = (eventId: string) =>
  vi.waitFor(async () => {
    const own = (await deadLetters(system, "--stage", "conflict")).filter(({ messageId }) => messageId === eventId);
    expect(own).toHaveLength(1);
    return own[0];
  }, 60_000);
const eventOf = async (id: string | undefined): Promise<unknown> => (await fetch(`${system.url}/events/${id}`)).json();

/** The key of Redis under which gateways remember an event's content. */
const memoryOf = (id: string): Buffer =>
  Buffer.concat([Buffer.from(`${system.namespace}:idem:`), Buffer.from(id.replaceAll("-", ""), "hex")]);

describe.each(twoContents)("$name under the key of an earlier event", ({ first, other }) => {
  test("gets 422 at every gateway that remembers the key, and a retry of the first has the same response", async () => {
    const key = randomUUID();
    const accepted = await post(0, first, key);
    expect(accepted.status).toBeLessThan(300);
    for (const gateway of [0, 1]) {
      const reused = await post(gateway, other, key);
      expect(reused).toMatchObject({ status: 422, id: "" });
      expect(Object.values(JSON.parse(reused.body))).toEqual([
        "Idempotency-Key: expected the content that this key was first sent with, got other content; use a new key for it",
      ]);
      expect(await post(gateway, first, key)).toEqual(accepted);
    }
  });

  test("is a dead letter when no gateway remembers the key, and a replay stores it", async () => {
    const key = randomUUID();
    const { id } = await post(0, first, key);
    // A retry of the other content is the same dead letter.
    for (let n = 0; n < 2; n++) expect(await post(2, other, key)).toMatchObject({ id });
    const letter = await conflictWith(id);
    expect(letter).toMatchObject({ reason: "key reused with different content" });
    expectEnd(await runTally(system, ["dead-letters", "replay", letter?.id ?? ""]), 0, "replayed 1 of 1");
    await expect.poll(() => eventOf(letter?.id)).toMatchObject({ stored: true, domain: letter?.domain });
  });
});

test("a key is remembered for 24 h; then other content may take it, and a retry is still the stored sale", async () => {
  const key = randomUUID();
  const { id } = await post(0, oneSale, key);
  await expect.poll(() => eventOf(id)).toMatchObject({ stored: true });
  const redis = openRedis(system);
  expect(await redis.pttl(memoryOf(id))).toBeGreaterThan(86_300_000);
  await redis.del(memoryOf(id));
  expect(await post(1, otherSale, key)).toMatchObject({ status: 201, id });
  await conflictWith(id);
  for (const gateway of [0, 1]) {
    expect(await post(gateway, oneSale, key)).toMatchObject({ status: 201, id });
    expect((await post(gateway, otherSale, key)).status).toBe(422);
  }
});

test("a ride that is stored already, under the key of another ride, gets 422", async () => {
  const ride =
    (minute: number): Post =>
    (url, headers) =>
      postJson(`${url}/skiers/r/seasons/1/days/1/skiers/1`, { time: minute, liftID: 1 }, headers);
  const { id } = await post(0, ride(2), randomUUID());
  await expect.poll(() => eventOf(id)).toMatchObject({ stored: true });
  const key = randomUUID();
  expect((await post(0, ride(1), key)).status).toBe(201);
  expect((await post(1, ride(2), key)).status).toBe(422);
  expect((await post(1, ride(1), key)).status).toBe(201);
});

test("a bulk request, repeated when an entry that was too early is valid, is still the same request", async () => {
  const sales = [undefined, new Date(Date.now() + 15 * 60_000 + 10_000)].map((soldAt) => ({
    storeID: 8,
    custID: 1,
    date: "20261120",
    items: [{ ItemID: 1, numberOfItems: 1 }],
    soldAt,
  }));
  const send = () => post(0, (url, headers) => postJson(`${url}/purchases`, sales, headers), "early");
  const first = await send();
  expect(first).toMatchObject({ status: 207, body: expect.stringContaining("soldAt: expected a time") });
  await expect.poll(send).toMatchObject({ status: 201 });
  expect((await send()).body).toContain(JSON.parse(first.body).results[0].id);
});

test("while Redis is frozen, keyed requests are accepted, and few of them wait for it", async () => {
  const proxy = await openTcpProxy(system.addresses.redisUrl);
  onTestFinished(() => proxy.close());
  const { url } = await startGateway(system, { AUTH: "off", DOOR_REDIS_URL: proxy.url });
  const send = async () => expect((await postTo(url, oneSale, randomUUID())).status).toBe(201);
  await send();
  proxy.become({ name: "frozen" });
  await vi.waitFor(
    async () => {
      // The first of these may try Redis, and wait for a second.
      await send();
      const before = proxy.bytesSent;
      await Promise.all([send(), send(), send()]);
      expect(proxy.bytesSent).toBe(before);
    },
    { timeout: 60_000, interval: 10 },
  );
});

test("the audit agrees and reports the conflicts; the writer counts and logs each", async () => {
  const { id } = await post(0, oneSale, "audited");
  await post(2, otherSale, "audited");
  await conflictWith(id);
  const report = await tallyJson(system, "audit", "--domain", "purchases");
  expect(report).toMatchObject({ agrees: true, audit: { keyConflicts: expect.any(Number) } });
  expect(report.domains[0].keyConflicts.open).toBeGreaterThanOrEqual(1);
  expect((await runTally(system, ["audit"])).output).toMatch(/\d+ acknowledged events used the key of another event/);
  const log = await readFile(system.writer.logFile, "utf8");
  expect(log).toContain(`"reason":"key reused with different content","storedEvent":"${id}"`);
  const metrics = await (await fetch(`http://127.0.0.1:${system.writer.port}/metrics`)).text();
  expect(metrics).toMatch(/tally_writer_dead_letters_total\{[^}]*domain="purchases",stage="conflict"[^}]*\} [1-9]/);
});
