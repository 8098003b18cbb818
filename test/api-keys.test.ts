import { setTimeout as delay } from "node:timers/promises";
import { newEventId } from "@tally/contract";
import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import { RawConnection } from "./http/raw-connection.ts";
import { cover, field, profile, raw } from "./http/requests.ts";
import { expectJson, postJson, sell, sellMany as sellManyAt, sendForm } from "./kit/sales.ts";
import { countOf, openDatabase, startSystem } from "./kit/system.ts";
import { bearer, createKey, expectEnd, keysCommand, knows, runTally } from "./kit/tally.ts";

// One thread stores sales in the order of their requests: see rowsOf.
const system = await startSystem({ AUTH: "required", WRITER_THREADS: "1" }, { instances: { gateway: 2 } });
const database = openDatabase(system);

const newKey = (...flags: readonly string[]) => createKey(system, ...flags);
// A key with all scopes, to read what the tested keys may not.
const full = await newKey("--scope", "*:read", "*:write");
const send = (path: string, options: RequestInit = {}) => fetch(`${system.url}${path}`, options);
const sellWith = (store: number | string, headers: Readonly<Record<string, string>>) =>
  sell(system.url, store, { headers });
const entryOf = (storeID: number | string) => ({
  storeID,
  custID: 1,
  date: "20261120",
  items: [{ ItemID: 9, numberOfItems: 4 }],
});
const sendWith = (key: string, ...args: readonly string[]) =>
  runTally(system, ["send", ...args], { TALLY_API_KEY: key });
/** The rows of stores, when everything that was posted before is stored. */
async function rowsOf(...stores: readonly number[]): Promise<readonly number[]> {
  const id = (await sellWith(1_000_000, bearer(full.key))).headers.get("tally-event-id");
  const event = async () => (await send(`/events/${id}`, { headers: bearer(full.key) })).json();
  await expect.poll(event).toMatchObject({ stored: true });
  return Promise.all(stores.map((store) => countOf(database, `purchases WHERE store_id = ${store}`)));
}
/** Fails when a gateway that is asked after 5 s does not know a key as expected. A busy machine may respond later. */
async function expectKnown(...expected: readonly (readonly [key: string, isKnown: boolean])[]): Promise<void> {
  const begunAt = performance.now();
  for (const url of system.urls)
    for (const [key, isKnown] of expected)
      for (let askedAt = performance.now(); (await knows(url, key)) !== isKnown; askedAt = performance.now()) {
        expect(askedAt - begunAt).toBeLessThan(5000);
        await delay(50);
      }
}

const posts = domains.flatMap(({ routes, errorKey }) => routes.map(({ path }) => ["POST", path, errorKey] as const));
const gets = domains.flatMap(({ queries, errorKey }) => queries.map(({ path }) => ["GET", path, errorKey] as const));
const puts = domains.flatMap((domain) => domain.puts.map(({ path }) => ["PUT", path, domain.errorKey] as const));

test.each([...posts, ...gets, ...puts, ["GET", "/events/:id", "message"] as const])(
  "%s %s rejects a request without a key, with the error shape of its domain",
  async (method, route, errorKey) => {
    const path = route.replaceAll(/:\w+/g, "1");
    const response = await send(path, { method });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    await expectJson(response, 401, { [errorKey]: "expected an API key, as Authorization: Bearer or as X-Api-Key" });
    if (method !== "GET") return;
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await send(path, { method: "HEAD" })).status).toBe(401);
  },
);

test("liveness and the API reference need no key, and an unknown path gets 404 without one", async () => {
  for (const path of ["/health/live", "/openapi.json", "/docs"]) expect((await send(path)).status).toBe(200);
  expect((await send("/nowhere")).status).toBe(404);
});

test("a key is taken as Authorization: Bearer or as X-Api-Key, and not as both; another text gets 401", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  for (const [headers, status] of [
    [{ authorization: `Bearer ${key}` }, 201],
    [{ authorization: `bearer  ${key}` }, 201],
    [{ "x-api-key": key }, 201],
    [{ "x-api-key": key, authorization: "Basic dGlsbDpzZWNyZXQ=" }, 201],
    [{ "x-api-key": key, authorization: `Bearer ${key}` }, 401],
    ...["", id, key.slice(0, -1), key.replace(id, full.id), "\u00ff", "a".repeat(8000)].map(
      (text) => [{ "x-api-key": text }, 401] as const,
    ),
  ] as const) {
    const response = await sellWith(10, { ...headers });
    expect([headers, response.status]).toEqual([headers, status]);
    if (status === 401) expect(response.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  }
});

test("a key reads or writes as its scopes allow, in its domains only", async () => {
  const writer = bearer((await newKey("--scope", "purchases:write")).key);
  const reader = bearer((await newKey("--scope", "purchases:read", "steps:write")).key);
  const rejected = await sellWith(20, reader);
  await expectJson(rejected, 403, { message: "expected an API key with the scope purchases:write" });
  expect(rejected.headers.get("www-authenticate")).toContain("insufficient_scope");
  const accepted = await sellWith(20, writer);
  expect(accepted.status).toBe(201);
  const event = `/events/${accepted.headers.get("tally-event-id")}`;
  for (const [method, path, headers, status] of [
    ["GET", "/items/store/20", writer, 403],
    ["HEAD", "/items/store/20", writer, 403],
    ["GET", "/items/store/20", reader, 200],
    ["POST", "/steps/7/1/1/100", reader, 200],
    ["GET", "/steps/current/7", reader, 403],
    ["GET", "/albums/top", reader, 403],
    ["GET", event, bearer(full.key), 200],
    ["GET", event, reader, 200],
    ["GET", event, writer, 403],
  ] as const)
    expect([method, path, (await send(path, { method, headers })).status]).toEqual([method, path, status]);
  const others = bearer((await newKey("--scope", "steps:read")).key);
  const unknown = { id: event.slice("/events/".length), domain: null, state: "pending", stored: false, ranked: false };
  await expectJson(await send(event, { headers: others }), 200, unknown);
  const form = [cover, field("profile", profile(1))];
  expect((await sendForm(`${system.url}/albums`, form, reader)).status).toBe(403);
  const album = (await sendForm(`${system.url}/albums`, form, bearer(full.key))).headers.get("tally-event-id");
  const picture = await send(`/albums/${album}/image`, { headers: bearer(full.key) });
  // A shared cache would serve it without a key.
  expect(picture.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  expect(await rowsOf(20)).toEqual([1]);
});

test("send --wait with a key that may not read ends at once, and names the event", async () => {
  const { key } = await newKey("--scope", "purchases:write");
  const sale = ["purchases", "--storeID", "21", "--custID", "1", "--date", "20261120", "--items", "9:1", "--wait"];
  const expected =
    /^tally: \S{36} was accepted; --wait: expected an API key with the scope purchases:read \(TALLY_API_KEY\)\n$/;
  expectEnd(await sendWith(key, ...sale), 2, expected);
});

test("a key for store 31 neither writes nor reads store 32, and leaves no row there", async () => {
  const headers = bearer((await newKey("--scope", "purchases:read", "purchases:write", "--store", "0031", "33")).key);
  for (const store of [31, "0031"]) expect((await sellWith(store, headers)).status).toBe(201);
  for (const store of [32, "032", 3, 310]) {
    const rejected = await sellWith(store, headers);
    expect([store, rejected.status]).toEqual([store, 403]);
    expect(await rejected.text()).toContain(`expected an API key for store ${Number(store)}, got one for others`);
  }
  for (const [path, status] of [
    ["/items/store/31", 200],
    ["/items/store/32", 403],
    ["/purchases?storeID=31", 200],
    ["/purchases?storeID=32", 403],
    ["/stores/31/top-items?date=20261120", 200],
    ["/stores/32/top-items", 403],
    ["/stores/32/top-items?date=20261120", 403],
    // Across stores.
    ["/items/top5/9", 403],
    ["/purchases", 403],
    ["/purchases?customer=1", 403],
    ["/purchases?storeID=31&storeID=32", 400],
  ] as const)
    expect([path, (await send(path, { headers })).status]).toEqual([path, status]);
  // The store of a purchase is known once it is stored.
  const sales = [await sellWith(31, headers), await sellWith(34, bearer(full.key))];
  const paths = sales.map((sale) => `/purchases/${sale.headers.get("tally-event-id")}`);
  const statuses = () => Promise.all(paths.map(async (path) => (await send(path, { headers })).status));
  await expect.poll(statuses, { timeout: 20_000 }).toEqual([200, 403]);
  const [own = "", other = ""] = paths;
  for (const [path, method, status, body] of [
    [`/live?watch=${own}`, "GET", 200],
    [`/live?watch=${other}`, "GET", 403],
    [`${other}/void`, "POST", 403],
    [`/purchases/${newEventId()}/void`, "POST", 404],
    [`${other}/void`, "POST", 403, { storeID: 34 }],
    [`${other}/void`, "POST", 403, { storeID: 31 }],
    [`/purchases/${newEventId()}/void`, "POST", 404, { storeID: 31 }],
    [`${own}/void`, "POST", 201],
  ] as const) {
    const asJson = { ...headers, "content-type": "application/json" };
    const response = await send(path, { headers: asJson, method, body: JSON.stringify(body) });
    await response.body?.cancel();
    expect([path, response.status]).toEqual([path, status]);
  }
  const sale = async () => (await send(own, { headers })).json();
  await expect.poll(sale, { timeout: 20_000 }).toMatchObject({ corrections: [{ kind: "void" }] });
  expect(await rowsOf(31, 32, 3, 310)).toEqual([3, 0, 0, 0]);
});

test("a key of one store gets no reason of a rejected refund: it may say what another store sold", async () => {
  const { key } = await newKey("--scope", "purchases:read", "purchases:write", "--store", "51");
  const own = bearer(key);
  const sale = (await sellWith(52, bearer(full.key))).headers.get("tally-event-id");
  const refund = { storeID: 51, date: "20261120", items: [{ line: 0, ItemID: 8, numberOfItems: 1 }] };
  const headers = { ...own, "idempotency-key": "wrong-item" };
  const sent = await postJson(`${system.url}/purchases/${sale}/refunds`, refund, headers);
  const path = `/events/${sent.headers.get("tally-event-id")}`;
  const event = async (reader: typeof own) => (await send(path, { headers: reader })).json();
  const rejected = { state: "rejected", reason: "line 0: the sale has item 9 there, not 8" };
  await expect.poll(() => event(bearer(full.key))).toMatchObject(rejected);
  const shown = await event(own);
  expect(shown).toMatchObject({ state: "rejected" });
  expect(shown).not.toHaveProperty("reason");
  const [date, named] = [["--date", "20261120"], JSON.stringify({ storeID: 51, idempotencyKey: "own" })];
  await sendWith(key, "purchases", "--storeID", "51", "--custID", "1", ...date, "--items", "9:1", "--key", "own");
  const flags = ["--sale", named, "--storeID", "51", ...date, "--items", JSON.stringify(refund.items), "--wait", "60"];
  const rejectedToo = /^\S{36} rejected: a key that is limited to stores is not told why\n$/;
  expectEnd(await sendWith(key, "refunds", ...flags), 1, rejectedToo);
});

test("a bulk request of refunds that is sent again with another API key is the same refunds", async () => {
  const refunds = [{ eventID: newEventId(), storeID: 51, date: "20261120", items: [{ line: 0, ItemID: 8, numberOfItems: 1 }] }]; // oxfmt-ignore
  const keys = [full.key, (await newKey("--scope", "purchases:write")).key];
  const [first, ...others] = await Promise.all(
    keys.map(async (key) =>
      (await postJson(`${system.url}/refunds`, refunds, { ...bearer(key), "idempotency-key": "back-office" })).json(),
    ),
  );
  expect(first).toMatchObject({ accepted: 1 });
  expect(others).toEqual([first]);
});

test("each entry of a bulk request needs a key for its store, as JSON and as lines", async () => {
  const { key } = await newKey("--scope", "purchases:write", "--store", "41");
  const bulk = async (entries: readonly object[], asLines: boolean) => {
    const body = asLines ? entries.map((one) => JSON.stringify(one)).join("\n") : JSON.stringify(entries);
    const type = asLines ? "application/x-ndjson" : "application/json";
    const headers = { ...bearer(key), "content-type": type };
    const response = await send("/purchases", { method: "POST", headers, body });
    const statuses = (await response.text()).matchAll(/"status":(\d+)/g);
    return [response.status, Array.from(statuses, ([, status]) => Number(status))];
  };
  const mixed = [entryOf(41), entryOf(42), entryOf("0042"), entryOf("0041"), { storeID: 42 }];
  for (const asLines of [false, true]) {
    expect(await bulk(mixed, asLines)).toEqual([207, [201, 403, 403, 201, 400]]);
    expect(await bulk([entryOf(42), entryOf(43)], asLines)).toEqual([403, [403, 403]]);
  }
  expect(await rowsOf(41, 42, 43)).toEqual([4, 0, 0]);
});

test("clients with different API keys may use the same Idempotency-Key for different bulk requests", async () => {
  const sellMany = async ({ key }: typeof full, store: number) => {
    const response = await sellManyAt(system.url, store, 1, { ...bearer(key), "idempotency-key": "monday" });
    return `${response.status} ${/"id":"([^"]*)"/.exec(await response.text())?.[1]}`;
  };
  const other = await newKey("--scope", "*:write");
  // Equal entries of one store: two sales, and each retry is the same sale.
  const sales = [await sellMany(full, 44), await sellMany(other, 44)];
  expect(sales).toEqual([expect.stringMatching(/^201 /), expect.stringMatching(/^201 /)]);
  expect(sales[0]).not.toBe(sales[1]);
  expect([await sellMany(full, 44), await sellMany(other, 44)]).toEqual(sales);
  expect(await sellMany(full, 45)).toBe("422 undefined");
});

test("a revoked key gets 401 at every gateway within 5 s", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  for (let n = 0; n < 2; n++) expect((await runTally(system, ["keys", "revoke", id])).exitCode).toBe(0);
  await expectKnown([key, false]);
  const { exitCode, errors } = await runTally(system, ["keys", "rotate", id]);
  expect([exitCode, errors]).toEqual([2, `tally: the key ${id} is revoked\n`]);
});

test("a rotated key works at every gateway within 5 s, the one before until its grace period ends", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  const rotated = await keysCommand(system, "rotate", id, "--grace", "600");
  await expectKnown([rotated.key, true], [key, true]);
  const { exitCode, errors } = await runTally(system, ["keys", "rotate", id]);
  expect([exitCode, errors]).toEqual([
    2,
    expect.stringMatching(/its previous secret is valid until 2\S+Z.* within 5 s; .* `tally keys create`/),
  ]);
  await expectKnown([rotated.key, true], [key, true]);
  const last = await keysCommand(system, "rotate", id, "--grace", "0");
  await expectKnown([last.key, true], [rotated.key, false], [key, false]);
  // Not at a time by the clock of the command, which may be ahead of a gateway's.
  expect(last).toMatchObject({ previousUntil: null });
  expect(await countOf(database, `api_keys WHERE id = '${id}' AND previous_until IS NULL`)).toBe(1);
  const { output } = await runTally(system, ["keys", "rotate", id, "--grace", "0"]);
  expect(output).toMatch(/The previous one ends within 5 s\.\n$/);
});

test("the secret is stored nowhere: the database has its SHA-256, and no list has it", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  expect((await sellWith(13, bearer(key))).status).toBe(201);
  const select =
    "SELECT HEX(secret_hash) AS hex, CONCAT_WS(' ', id, name, scopes, stores) AS whole FROM api_keys WHERE id = ?";
  const [row] = await database.writer.query<{ hex: string; whole: string }>(select, [id]);
  const secret = key.slice(-43);
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(secret));
  expect(row?.hex.toLowerCase()).toBe(Buffer.from(digest).toString("hex"));
  expect(row?.whole).not.toContain(secret);
  const { output } = await runTally(system, ["keys", "list", "--all"]);
  expect(output).toContain(id);
  expect(output).not.toContain(secret);
});

test("a request without a key is rejected before its body is read", async () => {
  const connection = new RawConnection(system.url);
  await connection.write(raw(["POST /albums HTTP/1.1", "Host: x", "Content-Length: 100000"]));
  expect((await connection.response()).status).toBe(401);
  connection.destroy();
});
