import { formOf, field, file, formType, picture } from "../form.ts";
import {
  answered,
  created,
  get,
  json,
  post,
  refused,
  refusedMsg,
  type ExpectedAnswer,
  type HostileCase,
} from "./hostile-case.ts";
import {
  album,
  albumForm,
  postAlbum,
  postSale,
  ride,
  rideBody,
  sale,
  saleBody,
  salePath,
  steps,
  stepsPath,
  swipe,
  swipeBody,
} from "./sample-requests.ts";
import type { StoredContent } from "./stored-content.ts";

const keyed = (key: string): readonly string[] => [json, `Idempotency-Key: ${key}`];
const reused = refused(422, /Idempotency-Key/i);
const all = (...requests: readonly Buffer[]): readonly Buffer[] => requests;

const badKeys: readonly HostileCase[] = [
  ["empty", ""],
  ["of 256 characters", "k".repeat(256)],
  ["with a space", "a b"],
  ["with a tab", "a\tb"],
  ["beyond ASCII", "\xfc"],
  ["in UTF-8", "\xc3\xbc"],
].map(([what = "", key = ""]) => ({
  name: `a key ${what} is refused`,
  send: (n: number) => postSale(n, keyed(key)),
  expect: [refused(400, /^Idempotency-Key: expected 1 to 255 visible ASCII characters/)],
}));

const goodKeys: readonly HostileCase[] = [
  "k",
  "k".repeat(255),
  '"quoted"',
  "../..",
  "'--",
  "__proto__",
  "%00",
  "{}",
  "~!@#$^&*()",
].map((key) => ({
  name: `the key ${key.slice(0, 20)} makes a retry the same sale`,
  inTurn: true,
  send: (n: number) => all(postSale(n, keyed(key)), postSale(n, keyed(key))),
  expect: [created, created],
  stores: (n: number) => [sale(n), sale(n)],
}));

interface Reuse {
  readonly domain: string;
  readonly first: (n: number) => Buffer;
  /** The same key with other content. */
  readonly other: (n: number) => Buffer;
  readonly taken: ExpectedAnswer;
  readonly refused: ExpectedAnswer;
  readonly stores: (n: number) => StoredContent;
}

const albumKey = (n: number) => [formType, `Idempotency-Key: album-${n}`];

const reuses: readonly Reuse[] = [
  {
    domain: "sales, of other items",
    first: (n) => postSale(n, keyed("r")),
    other: (n) => post(salePath(n), saleBody.replace(":3", ":4"), keyed("r")),
    taken: created,
    refused: reused,
    stores: sale,
  },
  {
    domain: "sales, of another customer",
    first: (n) => postSale(n, keyed("r")),
    other: (n) => post(salePath(n).replace("customer/1", "customer/2"), saleBody, keyed("r")),
    taken: created,
    refused: reused,
    stores: sale,
  },
  {
    domain: "sales, of another day",
    first: (n) => postSale(n, keyed("r")),
    other: (n) => post(salePath(n).replace("1120", "1121"), saleBody, keyed("r")),
    taken: created,
    refused: reused,
    stores: sale,
  },
  {
    domain: "swipes, in the other direction",
    first: (n) => post("/swipe/left", swipeBody(n), keyed("r")),
    other: (n) => post("/swipe/right", swipeBody(n), keyed("r")),
    taken: created,
    refused: reused,
    stores: (n) => swipe(n),
  },
  {
    domain: "swipes, with another comment",
    first: (n) => post("/swipe/left", swipeBody(n), keyed("r")),
    other: (n) => post("/swipe/left", swipeBody(n, "other"), keyed("r")),
    taken: created,
    refused: reused,
    stores: (n) => swipe(n),
  },
  {
    domain: "steps, of another count",
    first: (n) => post(stepsPath(n), "", keyed("r")),
    other: (n) => post(stepsPath(n).replace("250", "251"), "", keyed("r")),
    taken: answered(200, "accepted"),
    refused: reused,
    stores: steps,
  },
  {
    domain: "albums, with another image",
    first: (n) => postAlbum(n, albumKey(n)),
    other: (n) =>
      post(
        "/albums",
        formOf([
          file("image", picture("png", 68)),
          field("profile", JSON.stringify({ artist: "A", title: `T${n}`, year: "2000" })),
        ]),
        albumKey(n),
      ),
    taken: answered(200, /"imageSize":"67"/),
    refused: refusedMsg(422, /Idempotency-Key/i),
    stores: (n) => album(n),
  },
  {
    domain: "albums, with another profile",
    first: (n) => postAlbum(n, albumKey(n)),
    other: (n) => post("/albums", albumForm(n + 1), albumKey(n)),
    taken: answered(200, /"imageSize":"67"/),
    refused: refusedMsg(422, /Idempotency-Key/i),
    stores: (n) => album(n),
  },
];

const reusedKeys = reuses.flatMap(({ domain, first, other, taken, refused: no, stores }): readonly HostileCase[] => [
  {
    name: `a key that is used again for ${domain}, is answered 422`,
    inTurn: true,
    send: (n) => all(first(n), other(n)),
    expect: [taken, no],
    stores: (n) => [stores(n)],
  },
  {
    name: `after that the first of ${domain} is still the same event`,
    inTurn: true,
    send: (n) => all(first(n), other(n), first(n)),
    expect: [taken, no, taken],
    stores: (n) => [stores(n), stores(n)],
  },
]);

const others: readonly HostileCase[] = [
  {
    name: "a key twice in the headers is refused",
    send: (n) => postSale(n, [...keyed("a"), "Idempotency-Key: b"]),
    expect: [refused(400, /^Idempotency-Key: /)],
  },
  {
    name: "the same ride under two keys is one ride",
    inTurn: true,
    send: (n) =>
      all(post("/skiers/liftrides", rideBody(n), keyed("a")), post("/skiers/liftrides", rideBody(n), keyed("b"))),
    expect: [created, created],
    stores: (n) => [ride(n), ride(n)],
  },
  {
    name: "another ride under the key of a ride is answered 422, or is a ride by itself",
    inTurn: true,
    send: (n) =>
      all(
        post("/skiers/liftrides", rideBody(n), keyed(`l${n}`)),
        post("/skiers/liftrides", rideBody(n).replace("408", "409"), keyed(`l${n}`)),
      ),
    expect: [created, reused],
    stores: (n) => [ride(n)],
  },
  {
    name: "one key in two stores is two sales",
    inTurn: true,
    send: (n) => all(postSale(n, keyed(`s${n}`)), postSale(n + 500_000, keyed(`s${n}`))),
    expect: [created, created],
    stores: (n) => [sale(n), sale(n + 500_000)],
  },
  {
    name: "a refused request does not use up its key",
    inTurn: true,
    send: (n) => all(post(salePath(n), "{", keyed("a")), postSale(n, keyed("a"))),
    expect: [refused(400, /^body: /), created],
    stores: (n) => [sale(n)],
  },
  {
    name: "the same content in other white space and order of keys is the same sale",
    inTurn: true,
    send: (n) =>
      all(
        postSale(n, keyed("a")),
        post(salePath(n), '{ "items": [ { "numberOfItems:": 3, "ItemID": 85571 } ] }', keyed("a")),
      ),
    expect: [created, created],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "a key on a GET changes nothing",
    send: () => get("/items/store/5", ["Idempotency-Key: a b"]),
    expect: [answered(200)],
  },
];

/** Idempotency-Key. */
export const idempotencyKeys: readonly HostileCase[] = [...badKeys, ...goodKeys, ...reusedKeys, ...others];
