import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { RawConnection, upgrade } from "./raw-http.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;
let connection: RawConnection;

beforeAll(async () => {
  system = await startSystem({ BASE_PATHS: "/superMarketServer_war,remoteServer_war/" });
  connection = new RawConnection(system.url);
});
afterAll(async () => {
  connection.end();
  await system.stop();
});

const sale = (itemId: string | number, quantity = 1) =>
  JSON.stringify({ items: [{ ItemID: itemId, numberOfItems: quantity }] });

const post: RawConnection["post"] = (...request) => connection.post(...request);
const get: RawConnection["get"] = (...request) => connection.get(...request);
const itemsOf = async (store: number) => JSON.parse((await get(`/items/store/${store}`)).body).stores;

describe("what real clients send, on one kept-alive connection", () => {
  test("a purchase is answered 201 with its event's id, and is in the store's ranking within a second", async () => {
    const answer = await post("/purchase/1/customer/1001/date/20261120", sale("85571", 3));
    expect(answer.status).toBe(201);
    expect(answer.headers.get("tally-event-id")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    await vi.waitFor(async () => expect(await itemsOf(1)).toEqual([{ itemID: 85571, numberOfItems: 3 }]), 1000);
  });

  test.each([
    ["a trailing slash", "/purchase/2/customer/1/date/20261120/"],
    ["double slashes", "//purchase/2//customer/1/date/20261120"],
    ["a base path", "/superMarketServer_war/purchase/2/customer/1/date/20261120"],
    ["another base path", "/remoteServer_war/purchase/2/customer/1/date/20261120"],
    ["numbers with leading zeros", "/purchase/002/customer/01/date/20261120"],
  ])("%s leads to the same route", async (_what, path) => {
    expect((await post(path, sale(7))).status).toBe(201);
  });

  test("no Content-Type at all is JSON", async () => {
    expect((await post("/purchase/3/customer/1/date/20261120", sale(7), [])).status).toBe(201);
  });

  test("h2c upgrade headers are answered as HTTP/1.1, and the connection is kept", async () => {
    expect(
      (await post("/purchase/3/customer/1/date/20261120", sale(7), ["Content-Type: application/json", ...upgrade]))
        .status,
    ).toBe(201);
    expect((await get("/items/store/3", upgrade)).status).toBe(200);
    expect((await get("/items/store/3", upgrade)).status).toBe(200);
  });

  test("a GET with a Content-Type and no body is answered as usual", async () => {
    expect((await get("/items/store/3", ["Content-Type: application/json"])).status).toBe(200);
    expect((await get("/items/store/3", ["Content-Type: application/json", "Content-Length: 0"])).status).toBe(200);
  });

  test("ids come as numbers or as strings, and the count under both of its keys", async () => {
    const body = '{"items":[{"ItemID":11,"numberOfItems":1},{"ItemID":"12","numberOfItems:":2}]}';
    expect((await post("/purchase/4/customer/1/date/20261120", body)).status).toBe(201);
    await vi.waitFor(async () =>
      expect(await itemsOf(4)).toEqual([
        { itemID: 12, numberOfItems: 2 },
        { itemID: 11, numberOfItems: 1 },
      ]),
    );
  });

  test("an unknown store and an unknown item answer an empty list", async () => {
    expect((await get("/items/store/999999")).body).toBe('{"stores":[]}');
    expect((await get("/items/top5/999999")).body).toBe('{"stores":[]}');
    expect((await get("/items/top10/999999")).body).toBe('{"stores":[]}');
  });
});

describe("bad input gets a clear 4xx that names the field", () => {
  const path = "/purchase/900/customer/1/date/20261120";
  const items = (entry: string) => `{"items":[${entry}]}`;
  test.each([
    ["no JSON", "{", /^body: expected JSON/],
    ["an empty body", "", /^body: expected an object/],
    ["a list", "[]", /^body: expected an object/],
    ["null", "null", /^body: expected an object/],
    ["no items", "{}", /^items: expected a list of 1 to 500 items, got nothing/],
    ["an empty list", '{"items":[]}', /^items: expected a list of 1 to 500 items, got a list of 0/],
    [
      "3,000 items",
      items(Array(3000).fill('{"ItemID":1,"numberOfItems":1}').join()),
      /^items: expected a list of 1 to 500 items, got a list of 3000/,
    ],
    ["20,000 empty items", items(Array(20_000).fill("{}").join()), /^body: expected at most 10000 values/],
    [
      "1e400",
      items('{"ItemID":1,"numberOfItems":1e400}'),
      /^items\[0\]\.numberOfItems: expected an integer .*, got a number beyond ±1\.797/,
    ],
    ["an item that is a number", items("1"), /^items\[0\]: expected an object/],
    ["no ItemID", items('{"numberOfItems":1}'), /^items\[0\]\.ItemID: expected an integer/],
    ["a negative ItemID", items('{"ItemID":-1,"numberOfItems":1}'), /^items\[0\]\.ItemID: .*got -1/],
    ["a text as ItemID", items('{"ItemID":"abc","numberOfItems":1}'), /^items\[0\]\.ItemID: .*got "abc"/],
    ["a fraction", items('{"ItemID":1.5,"numberOfItems":1}'), /^items\[0\]\.ItemID/],
    [
      "a huge ItemID",
      items('{"ItemID":"9999999999999999","numberOfItems":1}'),
      /^items\[0\]\.ItemID: .*9007199254740991/,
    ],
    ["a huge number", items('{"ItemID":1e300,"numberOfItems":1}'), /^items\[0\]\.ItemID/],
    ["no count", items('{"ItemID":1}'), /^items\[0\]\.numberOfItems: expected an integer from 1 to 1000000/],
    ["a count of 0", items('{"ItemID":1,"numberOfItems":0}'), /^items\[0\]\.numberOfItems: .*got 0/],
    ["a count over a million", items('{"ItemID":1,"numberOfItems":1000001}'), /^items\[0\]\.numberOfItems/],
    ["true as a count", items('{"ItemID":1,"numberOfItems":true}'), /^items\[0\]\.numberOfItems: .*got true/],
    ["a list as a count", items('{"ItemID":1,"numberOfItems":[3]}'), /^items\[0\]\.numberOfItems/],
    ["both counts", items('{"ItemID":1,"numberOfItems":1,"numberOfItems:":1}'), /^items\[0\]: expected one of/],
    [
      "an unknown field",
      '{"items":[{"ItemID":1,"numberOfItems":1}],"discount":5}',
      /^discount: expected no such field/,
    ],
    [
      "__proto__",
      items('{"ItemID":1,"numberOfItems":1,"__proto__":{"admin":true}}'),
      /^items\[0\]\.__proto__: expected no such field/,
    ],
    [
      "constructor",
      items('{"ItemID":1,"numberOfItems":1,"constructor":{}}'),
      /^items\[0\]\.constructor: expected no such field/,
    ],
    ["a key twice", items('{"ItemID":1,"ItemID":2,"numberOfItems":1}'), /^items\[0\]\.ItemID: expected each key once/],
    [
      "a key twice, once escaped",
      items('{"ItemID":1,"\\u0049temID":2,"numberOfItems":1}'),
      /^items\[0\]\.ItemID: expected each key once/,
    ],
    ["items twice", '{"items":[],"items":[{"ItemID":1,"numberOfItems":1}]}', /^items: expected each key once/],
    ["deep nesting", "[".repeat(5000) + "]".repeat(5000), /^body: expected at most 64 levels/],
  ])("%s", async (_what, body, message) => {
    const answer = await post(path, body);
    expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({
      status: 400,
      type: "application/json; charset=utf-8",
    });
    expect(JSON.parse(answer.body).message).toMatch(message);
  });

  test.each([
    ["the 30th of February", "/purchase/900/customer/1/date/20260230", 400, /^date: expected a calendar date/],
    ["a date with dashes", "/purchase/900/customer/1/date/2026-11-20", 400, /^date/],
    ["a negative store", "/purchase/-1/customer/1/date/20261120", 400, /^storeID: expected an integer/],
    ["a store that is a text", "/purchase/abc/customer/1/date/20261120", 400, /^storeID: .*got "abc"/],
    ["a store beyond 2^53", "/purchase/9007199254740992/customer/1/date/20261120", 400, /^storeID/],
    ["a store of 200 digits", `/purchase/${"9".repeat(200)}/customer/1/date/20261120`, 400, /^storeID/],
    [
      "a store of 3,000 digits",
      `/purchase/${"9".repeat(3000)}/customer/1/date/20261120`,
      414,
      /^path: expected shorter/,
    ],
    ["a customer with a space", "/purchase/900/customer/%201/date/20261120", 400, /^custID/],
    ["broken percent-encoding", "/purchase/%zz/customer/1/date/20261120", 400, /percent-encoding/],
    ["an unknown path", "/purchases/900", 404, /^no such path/],
  ])("%s", async (_what, badPath, status, message) => {
    const answer = await post(badPath, sale(1));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body).message).toMatch(message);
  });

  test("invalid UTF-8", async () => {
    const body = Buffer.concat([
      Buffer.from('{"items":[{"ItemID":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('","numberOfItems":1}]}'),
    ]);
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(/^body: expected UTF-8/);
  });

  test("another content type", async () => {
    const answer = await post(path, "a=1", ["Content-Type: application/x-www-form-urlencoded"]);
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body).message).toMatch(/^Content-Type: expected application\/json/);
    const none = await post(path, sale(1), ["Content-Type: json"]);
    expect(none.status).toBe(415);
    expect(JSON.parse(none.body).message).toMatch(/^Content-Type: expected the type of a body/);
  });

  test("an Idempotency-Key that is too long", async () => {
    const answer = await post(path, sale(1), [`Idempotency-Key: ${"k".repeat(256)}`]);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(/^Idempotency-Key/);
  });

  test("a body of 100 MB is refused by its length, before it is read", async () => {
    const own = new RawConnection(system.url);
    const answer = await own.send(
      [
        `POST ${path} HTTP/1.1`,
        "Host: tally",
        "Content-Type: application/json",
        `Content-Length: ${100 * 1024 * 1024}`,
      ],
      "{",
    );
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body).message).toMatch(/^body: too large/);
    own.end();
  });

  test("what is no HTTP is answered and ends the connection", async () => {
    const own = new RawConnection(system.url);
    const answer = await own.send(["this is no HTTP"]);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({ message: "request: expected HTTP/1.1" });
    await vi.waitFor(() => expect(own.closed).toBe(true));
  });

  test("headers of 20 kB", async () => {
    const own = new RawConnection(system.url);
    const answer = await own.send(["GET /items/store/1 HTTP/1.1", "Host: tally", `X-Long: ${"x".repeat(20_000)}`]);
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body)).toEqual({ message: "headers: expected at most 16384 bytes together" });
    own.end();
  });

  test("a question with a wrong or unknown parameter", async () => {
    for (const [path_, message] of [
      ["/items/store/abc", /^storeID/],
      ["/stores/5/top-items?limit=0", /^limit: expected an integer from 1 to 100,/],
      ["/stores/5/top-items?limit=101", /^limit/],
      ["/stores/5/top-items?date=20260230", /^date/],
      ["/purchases?storeId=5", /^storeId: expected no such field/],
      ["/purchases?date=20261120", /^storeID: expected a storeID or a customer/],
      ["/purchases?cursor=x", /^cursor/],
      ["/events/5", /^id: expected an event id/],
    ] as const) {
      const answer = await get(path_);
      expect({ path: path_, status: answer.status }).toEqual({ path: path_, status: 400 });
      expect(JSON.parse(answer.body).message).toMatch(message);
    }
  });

  test("nothing of all that was stored", async () => {
    const marker = await post("/purchase/900/customer/2/date/20261120", sale(424242));
    expect(marker.status).toBe(201);
    await vi.waitFor(async () => expect(await itemsOf(900)).toEqual([{ itemID: 424242, numberOfItems: 1 }]));
    await vi.waitFor(async () =>
      expect(JSON.parse((await get("/purchases?storeID=900")).body).purchases).toHaveLength(1),
    );
  });
});

describe("an Idempotency-Key", () => {
  const withKey = (key: string) => ["Content-Type: application/json", `Idempotency-Key: ${key}`];

  test("makes a retry the same event: one id, one row, counted once", async () => {
    const path = "/purchase/50/customer/1/date/20261120";
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await post(path, sale(1, 2), withKey("till-1-17")));
    expect(new Set(answers.map((answer) => answer.headers.get("tally-event-id"))).size).toBe(1);
    await post(path, sale(2), withKey("till-1-18"));
    await vi.waitFor(async () =>
      expect(await itemsOf(50)).toEqual([
        { itemID: 1, numberOfItems: 2 },
        { itemID: 2, numberOfItems: 1 },
      ]),
    );
    await vi.waitFor(async () =>
      expect(JSON.parse((await get("/purchases?storeID=50")).body).purchases).toHaveLength(2),
    );
  });

  test("in another store is another event", async () => {
    const one = await post("/purchase/51/customer/1/date/20261120", sale(1), withKey("same"));
    const two = await post("/purchase/52/customer/1/date/20261120", sale(1), withKey("same"));
    expect(one.headers.get("tally-event-id")).not.toBe(two.headers.get("tally-event-id"));
  });
});
