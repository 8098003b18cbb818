import { asks, created, get, inTurn, keyed, ok, post, refused, stores, type HttpCase } from "../http/http-case.ts";
import { postSale, ride, rideBody, sale, salePath, sells } from "../http/sample-requests.ts";

const reused = refused(422, /^Idempotency-Key: expected the content/);
const sellsTwice = (name: string, send: HttpCase["send"]): HttpCase =>
  sells(name, send, 2, { reads: (n) => [[`/items/store/${n}`, { stores: [{ itemID: 85571, numberOfItems: 3 }] }]] });

const badKeys: readonly HttpCase[] = ["", "k".repeat(256), "a b", "a\tb", "\xfc", "\xc3\xbc"].map((key) =>
  asks(
    `the key ${JSON.stringify(key.slice(0, 20))} is rejected`,
    (n) => postSale(n, keyed(key)),
    refused(400, /^Idempotency-Key: expected 1 to 255 visible ASCII characters/),
  ),
);

const goodKeys: readonly HttpCase[] = [
  "k".repeat(255),
  ...`k "quoted" ../.. '-- __proto__ %00 {} ~!@#$^&*()`.split(" "),
].map((key) =>
  sellsTwice(`the key ${key.slice(0, 20)} makes a retry the same sale`, (n) =>
    inTurn(postSale(n, keyed(key)), postSale(n, keyed(key))),
  ),
);

const others: readonly HttpCase[] = [
  asks(
    "two keys in the headers are rejected",
    (n) => postSale(n, [...keyed("a"), "Idempotency-Key: b"]),
    refused(400, /^Idempotency-Key: /),
  ),
  stores(
    "another ride under the key of a ride gets 422",
    (n) =>
      inTurn(
        post("/skiers/liftrides", rideBody(n), keyed(`l${n}`)),
        post("/skiers/liftrides", rideBody(n).replace("408", "409"), keyed(`l${n}`)),
      ),
    [created, reused],
    ride,
  ),
  stores(
    "one key in two stores is two sales",
    (n) => inTurn(postSale(n, keyed(`s${n}`)), postSale(n + 500_000, keyed(`s${n}`))),
    [created, created],
    (n) => [sale(n), sale(n + 500_000)],
  ),
  stores(
    "a rejected request does not use up its key",
    (n) => inTurn(post(salePath(n), "{", keyed("a")), postSale(n, keyed("a"))),
    [refused(400, /^body: /), created],
    sale,
  ),
  sellsTwice("the same content in other white space and order of fields is the same sale", (n) =>
    inTurn(
      postSale(n, keyed("a")),
      post(salePath(n), '{ "items": [ { "numberOfItems:": 3, "ItemID": 85571 } ] }', keyed("a")),
    ),
  ),
  asks("a key on a GET changes nothing", () => get("/items/store/5", ["Idempotency-Key: a b"]), ok(200)),
];

/** Idempotency-Key. Other content under the key of an event: key-races.ts, and key-reuse.long.test.ts for each domain. */
export const idempotencyKeys: readonly HttpCase[] = [...badKeys, ...goodKeys, ...others];
