import { field, file, formType, picture } from "../http/form.ts";
import {
  asks,
  created,
  get,
  inTurn,
  keyed,
  ok,
  post,
  refused,
  refusedMsg,
  stores,
  type HttpCase,
} from "../http/http-case.ts";
import {
  album,
  albumCreated,
  albumForm,
  postAlbum,
  postForm,
  postSale,
  profile,
  ride,
  rideBody,
  sale,
  saleBody,
  saleOf4,
  salePath,
  sells,
  steps,
  stepsAccepted,
  stepsPath,
  swipe,
  swipeBody,
} from "../http/sample-requests.ts";

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
  "k",
  "k".repeat(255),
  '"quoted"',
  "../..",
  "'--",
  "__proto__",
  "%00",
  "{}",
  "~!@#$^&*()",
].map((key) =>
  sellsTwice(`the key ${key.slice(0, 20)} makes a retry the same sale`, (n) =>
    inTurn(postSale(n, keyed(key)), postSale(n, keyed(key))),
  ),
);

const albumKey = (n: number) => [formType, `Idempotency-Key: album-${n}`];
const otherImage = (n: number) => [file("image", picture("png", 68)), field("profile", profile(n))];
const sold = (n: number): Buffer => postSale(n, keyed("r"));
const swiped = (n: number): Buffer => post("/swipe/left", swipeBody(n), keyed("r"));

const reusedKeys = (
  [
    ["sales, of other items", sold, (n) => post(salePath(n), saleOf4, keyed("r")), sale],
    ["sales, of another customer", sold, (n) => post(salePath(n).replace("r/1", "r/2"), saleBody, keyed("r")), sale],
    ["sales, of another day", sold, (n) => post(salePath(n).replace("1120", "1121"), saleBody, keyed("r")), sale],
    ["swipes, in the other direction", swiped, (n) => post("/swipe/right", swipeBody(n), keyed("r")), swipe],
    ["swipes, with another comment", swiped, (n) => post("/swipe/left", swipeBody(n, "other"), keyed("r")), swipe],
    [
      "steps, of another count",
      (n) => post(stepsPath(n), "", keyed("r")),
      (n) => post(stepsPath(n).replace("250", "251"), "", keyed("r")),
      steps,
    ],
    [
      "albums, with another image",
      (n) => postAlbum(n, albumKey(n)),
      (n) => postForm(otherImage(n), albumKey(n)),
      album,
    ],
    [
      "albums, with another profile",
      (n) => postAlbum(n, albumKey(n)),
      (n) => post("/albums", albumForm(n + 1), albumKey(n)),
      album,
    ],
  ] satisfies readonly (readonly [
    string,
    (n: number) => Buffer,
    (n: number) => Buffer,
    typeof sale | typeof swipe | typeof steps | typeof album,
  ])[]
).flatMap(([name, first, other, stored]): readonly HttpCase[] => {
  const accepted = stored === album ? albumCreated : stored === steps ? stepsAccepted : created;
  const rejected = stored === album ? refusedMsg(422, /^Idempotency-Key: expected the content/) : reused;
  return [
    stores(
      `a key that is used again for ${name}, gets 422`,
      (n) => inTurn(first(n), other(n)),
      [accepted, rejected],
      (n) => stored(n),
    ),
    stores(
      `after that the first of ${name} is still the same event`,
      (n) => inTurn(first(n), other(n), first(n)),
      [accepted, rejected, accepted],
      (n) => [stored(n), stored(n)],
    ),
  ];
});

const others: readonly HttpCase[] = [
  asks(
    "two keys in the headers are rejected",
    (n) => postSale(n, [...keyed("a"), "Idempotency-Key: b"]),
    refused(400, /^Idempotency-Key: /),
  ),
  stores(
    "the same ride under two keys is one ride",
    (n) =>
      inTurn(post("/skiers/liftrides", rideBody(n), keyed("a")), post("/skiers/liftrides", rideBody(n), keyed("b"))),
    [created, created],
    (n) => [ride(n), ride(n)],
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

/** Idempotency-Key. */
export const idempotencyKeys: readonly HttpCase[] = [...badKeys, ...goodKeys, ...reusedKeys, ...others];
