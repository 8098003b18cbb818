import { domains } from "@tally/domains";
import { expect, test, vi } from "vitest";
import { openStream } from "./kit/fronts.ts";
import { sellMany, sold } from "./kit/sales.ts";
import { startSystem } from "./kit/system.ts";
import { bearer, createKey, keysCommand } from "./kit/tally.ts";

/* GET /live, /views and /purchases/latest, with AUTH=required. */

const system = await startSystem({ AUTH: "required", STREAMS_MAX: "400" });
const full = bearer((await createKey(system, "--scope", "*:read", "*:write")).key);
const waited = { timeout: 20_000 };
const get = (path: string, headers: Readonly<Record<string, string>> = full) =>
  fetch(`${system.url}${path}`, { headers });
const live = (paths: readonly string[], headers: Readonly<Record<string, string>> = full) =>
  get(`/live?${paths.map((path) => `watch=${encodeURIComponent(path)}`).join("&")}`, headers);

test("a purchase is in the stream of its store: in the bars, in those of its day, among the latest", async () => {
  const day = "/stores/31/top-items?limit=10&date=20261120";
  const stream = await openStream(system.url, ["/stores/31/top-items", day, "/purchases/latest?storeID=31"], full);
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  await expect.poll(() => [0, 1, 2].map((index) => stream.latest(index)?.status)).toEqual([200, 200, 200]);
  expect(stream.latest(0)?.body).toMatchObject({ storeID: 31, items: [] });
  expect(stream.latest(2)?.body).toEqual({ purchases: [], isComplete: true, refunds: [] });
  const before = Date.now();
  const id = await sold(system.url, 31, { item: 5, quantity: 2, headers: full });
  await vi.waitFor(() => {
    for (const index of [0, 1])
      expect(stream.latest(index)?.body).toMatchObject({ items: [{ itemID: 5, quantity: 2 }] });
    expect(stream.latest(2)?.body).toMatchObject({
      purchases: [{ eventID: id, storeID: 31, custID: 1, date: "20261120", items: [{ ItemID: 5, numberOfItems: 2 }] }],
    });
  }, waited);
  const [, arrivedAt = ""] = /"arrivedAt":"([^"]+)"/.exec(JSON.stringify(stream.latest(2)?.body)) ?? [];
  expect(Date.parse(arrivedAt)).toBeGreaterThanOrEqual(before - 1000);
  expect(stream.events[0]?.event).toBe("beat");
  stream.close();
});

test("the latest purchases come in the order of their arrival, with and without an Idempotency-Key", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) {
    const key = n % 2 === 0 ? { "idempotency-key": `latest-${n}` } : {};
    ids.unshift(await sold(system.url, 32, { item: n, headers: { ...full, ...key } }));
    const stored = async () => (await get(`/events/${ids[0]}`)).json();
    // Purchases of one batch have one time.
    await expect.poll(() => stored()).toMatchObject({ stored: true });
  }
  const latest = async (query: string) => (await get(`/purchases/latest?storeID=32${query}`)).json();
  await expect.poll(() => latest("")).toMatchObject({ purchases: ids.map((eventID) => ({ eventID })) });
  expect(await latest("&limit=2")).toMatchObject({ purchases: ids.slice(0, 2).map((eventID) => ({ eventID })) });
  expect((await get("/purchases/latest")).status).toBe(400);
});

test("the latest purchases say when the store has more than are searched", async () => {
  for (const size of [999, 1000, 1000, 1000, 1000])
    expect((await sellMany(system.url, 33, size, full)).status).toBe(201);
  const top = async () => (await get("/stores/33/top-items")).json();
  const latest = async () => (await get("/purchases/latest?storeID=33&limit=1")).json();
  await expect.poll(() => top()).toMatchObject({ items: [{ quantity: 3 * 4999 }] });
  await expect.poll(() => latest()).toMatchObject({ isComplete: true });
  await sold(system.url, 33, { headers: full });
  await expect.poll(() => latest()).toMatchObject({ isComplete: false });
});

test("the views are those of the domains", async () => {
  const views = domains.flatMap(({ name, views: own }) => own.map((view) => ({ domain: name, ...view })));
  expect(await (await get("/views")).json()).toEqual({ views });
});

test("a viewer's key needs the rights of all that it watches", async () => {
  const steps = bearer((await createKey(system, "--scope", "steps:read")).key);
  const store7 = bearer((await createKey(system, "--scope", "purchases:read", "--store", "7")).key);
  const [steps1, store7Items, store8Items] = ["/steps/top?day=1", "/stores/7/top-items", "/stores/8/top-items"];
  for (const [headers, paths, status, message] of [
    [{}, [steps1], 401, "API key"],
    [bearer("tally_wrong"), [steps1], 401, ""],
    [steps, [steps1, store7Items], 403, "expected an API key with the scope purchases:read"],
    [store7, [store7Items, store8Items], 403, "expected an API key for store 8, got one for others"],
    [store7, ["/items/1/top-stores"], 403, ""],
    [store7, ["/purchases/latest?storeID=8"], 403, ""],
    [steps, ["/dead-letters?domain=purchases"], 403, ""],
    [steps, ["/dead-letters"], 403, ""],
  ] as const) {
    const response = await live(paths, { ...headers });
    const refused = [paths, status, { message: expect.stringContaining(message) }];
    expect([paths, response.status, await response.json()]).toEqual(refused);
  }
  for (const [headers, paths] of [
    [steps, [steps1, "/status", "/views", "/dead-letters?domain=steps"]],
    [store7, [store7Items, "/purchases/latest?storeID=7"]],
  ] as const) {
    const stream = await openStream(system.url, paths, headers);
    await expect.poll(() => paths.map((_, index) => stream.latest(index)?.status)).toEqual(paths.map(() => 200));
    stream.close();
  }
});

test("a revoked key ends its streams", async () => {
  const { id, key } = await createKey(system, "--scope", "*:read");
  const stream = await openStream(system.url, ["/status"], bearer(key));
  await keysCommand(system, "revoke", id);
  expect(await stream.ended).toBe("complete");
  expect((await live(["/status"], bearer(key))).status).toBe(401);
});

test("a client address has a limit of streams; closed ones do not count", async () => {
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(system.url, ["/views"], full)));
  const response = await live(["/views"]);
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await response.json()).toEqual({
    message: "too many live streams of this address: expected at most 20; close one, or try again later",
  });
  for (const stream of streams) stream.close();
  await vi.waitFor(async () => {
    const again = await openStream(system.url, ["/views"], full);
    again.close();
  }, waited);
});

test("a gateway that stops ends its streams at once, and with them the stop", async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(system.url, ["/status"], full)));
  const stopped = system.gateway.stop();
  // Connections that are still open near the time limit of the stop are broken.
  for (const stream of streams) expect(await stream.ended).toBe("complete");
  expect(await stopped).toBe(0);
  await system.gateway.start();
});
