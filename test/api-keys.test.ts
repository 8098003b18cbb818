import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import type { Database } from "@tally/database";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { field, file, formOf, formType } from "./http/form.ts";
import { bearer, createKey, keysCommand, knows, type TestKey } from "./keys.ts";
import { spawnGateway, startGateway } from "./start-app.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { runTally } from "./run-tally.ts";
import { startSystem, type TestSystem } from "./start-system.ts";
import { tcpSwitch } from "./tcp-switch.ts";

let system: TestSystem;
let database: Database;
// Of all keys that a test has seen: none of them may be in a log.
const seen: string[] = [];

beforeAll(async () => {
  system = await startSystem({ AUTH: "required" }, { instances: { gateway: 2 } });
  database = openDatabase(system);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

const newKey = async (...flags: readonly string[]): Promise<TestKey> => {
  const made = await createKey(system, ...flags);
  seen.push(made.key);
  return made;
};
const sale = { items: [{ ItemID: 9, numberOfItems: 4 }] };
const send = (path: string, o: RequestInit = {}, gateway = 0) => fetch(`${system.urls[gateway]}${path}`, o);
const sell = (store: number | string, headers: Readonly<Record<string, string>>, gateway = 0) =>
  send(
    `/purchase/${store}/customer/1/date/20261120`,
    { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(sale) },
    gateway,
  );
const rowsOf = (store: number) => database.writer.query("SELECT id FROM purchases WHERE store_id = ?", [store]);
/** What was posted before this is stored when this is. */
async function settle(key: string): Promise<void> {
  const id = (await sell(1_000_000, bearer(key))).headers.get("tally-event-id");
  await vi.waitFor(async () => {
    expect(await (await send(`/events/${id}`, { headers: bearer(key) })).text()).toContain('"stored":true');
  }, 15_000);
}

const get = (path: string) => ({ method: "GET", path });
const post = (path: string) => ({ method: "POST", path });
const routes = [
  post("/purchase/1/customer/1/date/20261120"),
  post("/purchases"),
  get("/items/store/1"),
  get("/items/top5/1"),
  get("/items/top10/1"),
  get("/stores/1/top-items"),
  get("/items/1/top-stores"),
  get("/purchases"),
  post("/albums"),
  get("/albums/01a1fb30-2980-71ee-89cd-4f71757df440"),
  get("/albums/01a1fb30-2980-71ee-89cd-4f71757df440/image"),
  post("/review/like/01a1fb30-2980-71ee-89cd-4f71757df440"),
  get("/review/01a1fb30-2980-71ee-89cd-4f71757df440"),
  get("/albums/top"),
  post("/skiers/liftrides"),
  post("/skiers/a/seasons/1/days/1/skiers/1"),
  get("/skiers/a/days/1/skiers/1"),
  get("/skiers/a/seasons/1/days/1/skiers/1"),
  get("/skiers/1/vertical?resort=a"),
  get("/resort/day/top10vert?resort=a&dayID=1"),
  post("/steps/1/1/1/1"),
  get("/steps/current/1"),
  get("/steps/single/1/1"),
  get("/steps/range/1/1/1"),
  get("/steps/top?day=1"),
  post("/swipe/left"),
  get("/matches/1"),
  get("/stats/1"),
  get("/swipes/top"),
  get("/events/01a1fb30-2980-71ee-89cd-4f71757df440"),
];

test("every route rejects a request without a key, with the error shape of its domain", async () => {
  for (const { method, path } of routes) {
    for (const sent of method === "GET" ? ["GET", "HEAD"] : [method]) {
      const response = await send(path, { method: sent });
      expect([sent, path, response.status]).toEqual([sent, path, 401]);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      const errorKey = /^\/(albums|review)/.test(path) ? "msg" : "message";
      const expected = { [errorKey]: "expected an API key, as Authorization: Bearer or as X-Api-Key" };
      if (sent !== "HEAD") expect([path, await response.json()]).toEqual([path, expected]);
    }
  }
});

test("liveness needs no key, and a path that leads nowhere is 404 without one", async () => {
  expect((await send("/health/live")).status).toBe(200);
  expect((await send("/nowhere")).status).toBe(404);
});

test("a key is taken as Authorization: Bearer or as X-Api-Key, and not as both", async () => {
  const { key } = await newKey("--scope", "*:write");
  expect((await sell(10, { authorization: `Bearer ${key}` })).status).toBe(201);
  expect((await sell(10, { authorization: `bearer  ${key}` })).status).toBe(201);
  expect((await sell(10, { "x-api-key": key })).status).toBe(201);
  expect((await sell(10, { "x-api-key": key, authorization: "Basic dGlsbDpzZWNyZXQ=" })).status).toBe(201);
  expect((await sell(10, { "x-api-key": key, authorization: `Bearer ${key}` })).status).toBe(401);
});

test("a text that is no valid key is 401, however little it differs from one", async () => {
  const { id, key } = await newKey("--scope", "*:write", "*:read");
  const other = await newKey("--scope", "*:write", "*:read");
  const last = key.endsWith("A") ? "B" : "A";
  const wrong = [
    "",
    "x",
    id,
    key.slice(0, -1),
    key.slice(0, -1) + last,
    `${key}A`,
    key.toUpperCase(),
    key.replace(id, other.id),
    key.replace(id, "0000000000000000"),
    `${key.slice(0, -1)}\u00ff`,
    "tally_",
    "a".repeat(8000),
  ];
  for (const text of wrong) {
    const response = await sell(11, { "x-api-key": text });
    expect([text, response.status]).toEqual([text, 401]);
    expect(response.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  }
  expect((await sell(12, { "x-api-key": key })).status).toBe(201);
  await settle(key);
  expect(await rowsOf(11)).toHaveLength(0);
  expect(await rowsOf(12)).toHaveLength(1);
});

test("a key reads or writes only as its scopes say, in its domains only", async () => {
  const writer = await newKey("--scope", "purchases:write");
  const reader = await newKey("--scope", "purchases:read", "steps:write");
  const full = await newKey("--scope", "*:read", "*:write");
  const refused = await sell(20, bearer(reader.key));
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { message: "expected an API key with the scope purchases:write" },
  ]);
  expect(refused.headers.get("www-authenticate")).toContain("insufficient_scope");
  const sold = await sell(20, bearer(writer.key));
  expect(sold.status).toBe(201);
  expect((await send("/items/store/20", { headers: bearer(writer.key) })).status).toBe(403);
  expect((await send("/items/store/20", { method: "HEAD", headers: bearer(writer.key) })).status).toBe(403);
  expect((await send("/items/store/20", { headers: bearer(reader.key) })).status).toBe(200);
  const headers = bearer(reader.key);
  expect((await send("/steps/7/1/1/100", { method: "POST", headers })).status).toBe(200);
  expect((await send("/steps/current/7", { headers })).status).toBe(403);
  expect((await send("/albums/top", { headers })).status).toBe(403);
  const form = { "content-type": formType.replace("Content-Type: ", ""), ...headers };
  const body = formOf([file("image", "x"), field("profile", "{}")]);
  expect((await send("/albums", { method: "POST", headers: form, body })).status).toBe(403);
  await settle(full.key);
  expect(await rowsOf(20)).toHaveLength(1);

  const event = `/events/${sold.headers.get("tally-event-id")}`;
  expect((await send(event, { headers: bearer(full.key) })).status).toBe(200);
  expect((await send(event, { headers: bearer(reader.key) })).status).toBe(200);
  expect((await send(event, { headers: bearer(writer.key) })).status).toBe(403);
});

test("a key for store 31 neither writes nor reads store 32, and leaves no row there", async () => {
  const all = await newKey("--scope", "*:read", "*:write");
  const { key } = await newKey("--scope", "purchases:read", "purchases:write", "--store", "0031", "33");
  const headers = bearer(key);
  expect((await sell(31, headers)).status).toBe(201);
  expect((await sell("0031", headers)).status).toBe(201);
  for (const store of [32, "032", 3, 310]) {
    const refused = await sell(store, headers);
    expect([store, refused.status]).toEqual([store, 403]);
    expect(await refused.text()).toContain(`expected an API key for store ${Number(store)}, got one for others`);
  }
  const statusOf = async (path: string) => (await send(path, { headers })).status;
  for (const path of ["/items/store/", "/purchases?storeID="]) {
    expect([path, await statusOf(`${path}31`), await statusOf(`${path}32`)]).toEqual([path, 200, 403]);
  }
  expect(await statusOf("/stores/31/top-items?date=20261120")).toBe(200);
  expect(await statusOf("/stores/32/top-items")).toBe(403);
  expect(await statusOf("/stores/32/top-items?date=20261120")).toBe(403);
  // Across stores.
  for (const path of [
    "/items/top5/9",
    "/items/top10/9",
    "/items/9/top-stores",
    "/purchases",
    "/purchases?customer=1",
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 403]);
  }
  expect(await statusOf("/purchases?storeID=31&storeID=32")).toBe(400);
  expect(await statusOf("/purchases?storeID=9999999999999999")).toBe(400);
  await settle(all.key);
  expect(await rowsOf(31)).toHaveLength(2);
  for (const store of [32, 3, 310]) expect(await rowsOf(store)).toHaveLength(0);
});

test("in a bulk request each entry is judged by its own store, as JSON and as lines", async () => {
  const all = await newKey("--scope", "*:read", "*:write");
  const { key } = await newKey("--scope", "purchases:write", "--store", "41");
  const entry = (storeID: number | string) => ({ storeID, custID: 1, date: "20261120", ...sale });
  const bulk = async (entries: readonly object[], asLines: boolean) => {
    const body = asLines ? entries.map((one) => JSON.stringify(one)).join("\n") : JSON.stringify(entries);
    const type = asLines ? "application/x-ndjson" : "application/json";
    const response = await send("/purchases", {
      method: "POST",
      headers: { ...bearer(key), "content-type": type },
      body,
    });
    const statuses = (await response.text()).matchAll(/"status":(\d+)/g);
    return [response.status, Array.from(statuses, ([, status]) => Number(status))];
  };
  const mixed = [entry(41), entry(42), entry("0042"), entry("0041"), { storeID: 42 }];
  for (const asLines of [false, true]) {
    expect(await bulk(mixed, asLines)).toEqual([207, [201, 403, 403, 201, 400]]);
    expect(await bulk([entry(42), entry(43)], asLines)).toEqual([403, [403, 403]]);
  }
  await settle(all.key);
  expect(await rowsOf(41)).toHaveLength(4);
  expect(await rowsOf(42)).toHaveLength(0);
  expect(await rowsOf(43)).toHaveLength(0);
});

test("clients with other API keys may use the same Idempotency-Key for other bulk requests", async () => {
  const sellMany = async ({ key }: TestKey, storeID: number) => {
    const headers = { ...bearer(key), "content-type": "application/json", "idempotency-key": "monday" };
    const body = JSON.stringify([{ storeID, custID: 1, date: "20261120", ...sale }]);
    const response = await send("/purchases", { method: "POST", headers, body });
    return `${response.status} ${/"id":"([^"]*)"/.exec(await response.text())?.[1]}`;
  };
  const [one, other] = [await newKey("--scope", "*:write"), await newKey("--scope", "*:write")];
  // Equal entries of one store: two sales, and each retry is the same sale.
  const sales = [await sellMany(one, 44), await sellMany(other, 44)];
  expect(sales).toEqual([expect.stringMatching(/^201 /), expect.stringMatching(/^201 /)]);
  expect(sales[0]).not.toBe(sales[1]);
  expect([await sellMany(one, 44), await sellMany(other, 44)]).toEqual(sales);
  expect(await sellMany(one, 45)).toBe("422 undefined");
});

test("a revoked key is 401 on every gateway within 5 s", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  for (const url of system.urls) expect(await knows(url, key)).toBe(true);
  const { exitCode } = await runTally(system, ["keys", "revoke", id]);
  expect(exitCode).toBe(0);
  await vi.waitFor(async () => {
    for (const url of system.urls) expect(await knows(url, key)).toBe(false);
  }, 5000);
  expect((await runTally(system, ["keys", "revoke", id])).exitCode).toBe(0);
  const again = await runTally(system, ["keys", "rotate", id]);
  expect([again.exitCode, again.errors]).toEqual([2, `tally: the key ${id} is revoked\n`]);
});

test("a rotated key works within 5 s on every gateway, the one before until its grace period ends", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  const rotated = await keysCommand(system, "rotate", id, "--grace", "600");
  seen.push(rotated.key);
  await vi.waitFor(async () => {
    for (const url of system.urls) expect(await knows(url, rotated.key)).toBe(true);
  }, 5000);
  for (const url of system.urls) expect(await knows(url, key)).toBe(true);
  const last = await keysCommand(system, "rotate", id, "--grace", "0");
  seen.push(last.key);
  await vi.waitFor(async () => {
    for (const url of system.urls) {
      expect([await knows(url, last.key), await knows(url, rotated.key), await knows(url, key)]).toEqual([
        true,
        false,
        false,
      ]);
    }
  }, 5000);
});

test("the secret is stored nowhere: the database has its SHA-256, the list shows none", async () => {
  const { id, key } = await newKey("--scope", "*:write");
  const [row] = await database.writer.query<{ hex: string; whole: string }>(
    "SELECT HEX(secret_hash) AS hex, CONCAT_WS(' ', id, name, scopes, stores) AS whole FROM api_keys WHERE id = ?",
    [id],
  );
  const secret = key.slice(-43);
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(secret));
  expect(row?.hex.toLowerCase()).toBe(Buffer.from(digest).toString("hex"));
  expect(row?.whole).not.toContain(secret);
  const { output } = await runTally(system, ["keys", "list", "--all"]);
  expect(output).toContain(id);
  expect(output).not.toContain(secret);
});

test("a mistake on the command line is one line and exit status 2", async () => {
  const create = ["keys", "create", "--name", "x", "--scope"];
  const mistakes: readonly (readonly [readonly string[], string])[] = [
    [["keys", "create", "--name", "x"], "--scope"],
    [[...create, "sales:write"], "--scope: expected one of the domains purchases, albums"],
    [[...create, "purchases"], "--scope: expected domain:read or domain:write, got purchases"],
    [[...create, "purchases:delete"], "--scope: expected domain:read or domain:write"],
    [[...create, "albums:write", "--store", "1"], "--store: the domain albums knows no stores"],
    [[...create, "purchases:write", "--store", "x"], "--store: expected the number of a store, got x"],
    [[...create, "purchases:write", "--rate", "0"], "expected a whole number from 1"],
    [[...create, "purchases:write", "--burst", "5"], "--burst: expected --rate"],
    [["keys", "create", "--name", "", "--scope", "*:read"], "expected 1 to 100 characters"],
    [["keys", "rotate", "x"], "expected the id of a key"],
    [["keys", "rotate", "0000000000000000"], "there is no key 0000000000000000"],
    [["keys", "revoke", "0000000000000000"], "there is no key 0000000000000000"],
    [["keys", "rotate", "0000000000000000", "--grace", "-1"], "expected a whole number of seconds"],
    [["keys", "forget"], "unknown command"],
  ];
  const runs = mistakes.map(async ([args, expected]) => ({ args, expected, result: await runTally(system, args) }));
  for (const { args, expected, result } of await Promise.all(runs)) {
    const { exitCode, output, errors } = result;
    expect([args.join(" "), exitCode, output]).toEqual([args.join(" "), 2, ""]);
    expect(errors).toContain(expected);
    expect(errors).not.toMatch(/^\s+at /m);
  }
}, 120_000);

test("while the database is away known keys work and others are 503; when it is back both are as they should be", async () => {
  const way = await tcpSwitch(system.addresses.databaseWriteUrl);
  const { id, key } = await newKey("--scope", "*:write", "*:read");
  const gateway = await startGateway(system, { AUTH: "required", DATABASE_WRITE_URL: way.url });
  const statusOf = async (sent: string) => {
    const response = await fetch(`${gateway.url}/items/store/1`, { headers: { "x-api-key": sent } });
    return [response.status, response.headers.get("retry-after")];
  };
  try {
    await vi.waitFor(async () => expect(await statusOf(key)).toEqual([200, null]), 5000);
    way.cut();
    const unknown = await newKey("--scope", "*:read");
    await vi.waitFor(async () => expect(await statusOf(unknown.key)).toEqual([503, "2"]), 15_000);
    expect(await statusOf(`${key.slice(0, -1)}_`)).toEqual([503, "2"]);
    expect(await statusOf("no key")).toEqual([401, null]);
    expect(await statusOf(key)).toEqual([200, null]);
    await runTally(system, ["keys", "revoke", id]);
    way.mend();
    await vi.waitFor(async () => {
      expect([await statusOf(unknown.key), await statusOf(key)]).toEqual([
        [200, null],
        [401, null],
      ]);
    }, 15_000);
  } finally {
    await gateway.stop();
    await way.close();
  }
}, 60_000);

test("a gateway that started while the database is away answers 503 until it has read the keys", async () => {
  const way = await tcpSwitch(system.addresses.databaseWriteUrl);
  way.cut();
  const { key } = await newKey("--scope", "*:write", "*:read");
  const gateway = await startGateway(system, { AUTH: "required", DATABASE_WRITE_URL: way.url });
  try {
    const headers = bearer(key);
    expect((await fetch(`${gateway.url}/items/store/1`, { headers })).status).toBe(503);
    way.mend();
    await vi.waitFor(async () => {
      expect((await fetch(`${gateway.url}/items/store/1`, { headers })).status).toBe(200);
    }, 15_000);
  } finally {
    await gateway.stop();
    await way.close();
  }
}, 60_000);

test("AUTH=off on an address that others reach ends the start with status 2, unless it is confirmed", async () => {
  for (const host of ["0.0.0.0", "::", "10.1.2.3", "tally.example"]) {
    const gateway = spawnGateway(system, { AUTH: "off", HOST: host, PORT: "0" });
    expect(await gateway.ended()).toBe(2);
    expect(gateway.output()).toContain(`AUTH: expected required; or off with a HOST on a loopback address`);
    expect(gateway.output()).toContain(`got off with HOST=${host}`);
    expect(gateway.output()).not.toMatch(/^\s+at /m);
  }
  const confirmed = await startGateway(system, { AUTH: "off", AUTH_OFF_CONFIRMED: "yes", HOST: "0.0.0.0" });
  expect((await fetch(`${confirmed.url}/items/store/1`)).status).toBe(200);
  expect(await confirmed.stop()).toBe(0);
}, 60_000);

test("AUTH=required is the default", async () => {
  const gateway = await startGateway(system, {});
  expect((await fetch(`${gateway.url}/items/store/1`)).status).toBe(401);
  expect(await gateway.stop()).toBe(0);
});

test("a request without a key is rejected before its body is read", async () => {
  const { hostname, port } = new URL(system.url);
  const socket = connect(Number(port), hostname);
  const head = ["POST /albums HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: 100000", "", ""];
  socket.write(head.join("\r\n"));
  let answer = "";
  socket.on("data", (data) => (answer += data.toString()));
  await vi.waitFor(() => expect(answer).toMatch(/^HTTP\/1\.1 401 /), 5000);
  socket.destroy();
});

test("no log holds a key", async () => {
  expect(seen.length).toBeGreaterThan(10);
  const servers = [...system.gateways, ...system.writers, ...system.rankers];
  const logs = await Promise.all(servers.map(({ logFile }) => readFile(logFile, "utf8")));
  for (const key of seen) for (const log of logs) expect(log).not.toContain(key.slice(-43));
});
