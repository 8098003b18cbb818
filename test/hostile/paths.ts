import { asks, bad, created, inTurn, live, noSuchPath, ok, rejected, rejectedMsg } from "../http/cases.ts";
import { shown, stepsAccepted, stores, type ExpectedResponse, type HttpCase } from "../http/cases.ts";
import { get, keyed, post, raw, rideBody, saleBody, salePath } from "../http/requests.ts";
import { stepsPath } from "../http/requests.ts";
import { ride, sale, steps, type StoredContent } from "../http/stored.ts";

const number = (name: string): ExpectedResponse => bad(new RegExp(`^${name}: expected an integer from `));

type Row = readonly [path: string, expected: ExpectedResponse, body?: string];
const gets = (rows: readonly Row[]): readonly HttpCase[] =>
  rows.map(([path, expected]) => asks(`GET ${shown(path)}`, () => get(path), expected));
const posts = (rows: readonly Row[]): readonly HttpCase[] =>
  rows.map(([path, expected, body = saleBody]) => asks(`POST ${shown(path)}`, () => post(path, body), expected));

const ids = "abc -1 1.5 1e3 9007199254740992 99999999999999999999 %00 1%00 %201 5%0a 1'OR'1 %D9%A3 ..%2fetc".split(" ");
const few = ids.slice(0, 4);
const badIds: readonly HttpCase[] = [
  ...gets([
    ...ids.map((id) => [`/items/store/${id}`, number("storeID")] as const),
    ...few.map((id) => [`/steps/current/${id}`, number("userID")] as const),
    ...few.map((id) => [`/skiers/${id}/vertical?resort=r`, number("skierID")] as const),
  ]),
  ...posts([
    ...ids.map((id) => [`/purchase/${id}/customer/1/date/20261120`, number("storeID")] as const),
    ...few.map((id) => [`/purchase/1/customer/${id}/date/20261120`, number("custID")] as const),
    ...few.map((id) => [`/steps/${id}/1/1/1`, number("userID")] as const),
  ]),
];

const noDate = bad(/^date: expected a calendar date/);
const noResort = bad(/^resortID: expected a resort/);
const pair = '{"swiper":1,"swipee":2}';
const lift = '{"time":1,"liftID":1}';
const oldAlbum = "019d0000-0000-7000-8000-000000000000";
const noAlbum = rejectedMsg(404, /^albumID: expected the id of an album, got/);

const refund = '"storeID":6,"date":"20261121","items":[{"line":0,"ItemID":9,"numberOfItems":1}]';
const keyedRefund = `${refund},"idempotencyKey":"k"`;
const badEntry = (text: string): ExpectedResponse => ok(400, new RegExp(`"index":0,"status":400,"error":"${text}`));
const places = posts([
  [`/purchases/${oldAlbum}/refunds`, bad(/^Idempotency-Key: expected/), `{${refund}}`],
  ["/purchases/5/void", bad(/^eventID: expected the event id of a purchase/), ""],
  [`/purchases/${oldAlbum}/void`, bad(/^store: expected no such field/), '{"store":7}'],
  [`/purchases/${oldAlbum}/void`, bad(/^storeID: expected an integer/), '{"storeID":"x"}'],
  [`/purchases/${oldAlbum}/void`, bad(/^reason: expected a text of 1 to 200/), `{"reason":"${"x".repeat(201)}"}`],
  [`/purchases/${oldAlbum}/void`, bad(/^body: expected an object with storeID or reason/), "null"],
  ["/voids", badEntry("reason: expected a text of 1 to 200"), `[{"eventID":"${oldAlbum}","reason":""}]`],
  ["/refunds", badEntry("eventID: expected one of eventID and sale, got nothing"), `[{${keyedRefund}}]`],
  ["/refunds", badEntry("idempotencyKey: expected the key of this event, or"), `[{"eventID":"${oldAlbum}",${refund}}]`],
  [
    "/refunds",
    badEntry("date: expected"),
    `[{"eventID":"${oldAlbum}",${keyedRefund.replace("20261121", "99991231")}}]`,
  ],
  ["/steps/1/0/1/1", bad(/^day: expected an integer from 1 to 4294967295, got "0"/)],
  ["/steps/1/1/24/1", bad(/^timeInterval: expected an integer from 0 to 23, got "24"/)],
  ["/steps/1/1/1/100001", bad(/^stepCount: expected an integer from 0 to 100000, got "100001"/)],
  ["/steps/1/1/1/", noSuchPath],
  ["/purchase/1/customer/1/date/20260230", noDate],
  ["/purchase/1/customer/1/date/99991231", bad(/^date: expected a date up to tomorrow/)],
  ["/Purchase/1/customer/1/date/20261120", noSuchPath],
  ["/swipe/up", bad(/^leftorright: expected left or right, got "up"/), pair],
  ["/skiers/r/seasons/65536/days/1/skiers/1", bad(/^seasonID: expected an integer from 0 to 65535, got "65536"/), lift],
  ["/skiers/r/seasons/1/days/-1/skiers/1", number("dayID"), lift],
  ["/skiers/a%00b/seasons/1/days/1/skiers/1", noResort, lift],
  ["/review/love/5", rejectedMsg(400, /^opinion: expected like or dislike, got "love"/), ""],
  ["/review/like/5", noAlbum, ""],
  [`/review/like/${oldAlbum}`, noAlbum, ""],
  ["/review/like/", rejectedMsg(405, /^method: expected GET or HEAD, got POST/), ""],
]);

const noEncoding = /^path: expected valid percent-encoding/;
const encodings = gets([
  ...["%", "%zz", "%ff", "%c0%af", "%ed%a0%80"].map((id) => [`/items/store/${id}`, bad(noEncoding)] as const),
  ["/items/%73tore/%35", ok(200, /^\{"stores":\[/)],
  [`/items/store/${"9".repeat(3000)}`, rejected(414, /^path: expected values of at most 2000 characters/)],
  [`/${"a/".repeat(3000)}`, rejected([404, 414], /./)],
  ...["/../../etc/passwd", "/items/../health/live", "/.env", "//evil.example/%2f..", "/__proto__"].map(
    (path) => [path, noSuchPath] as const,
  ),
  ["///health///live///", live],
]);

const noCursor = bad(/^cursor: expected the nextCursor/);
const noId = bad(/^id: expected an event id/);
const unknown = bad(/expected no such field/);
const noLetter = /^id: expected the id of a dead letter/;
const noParameter = bad(/^resort: expected a resort/);
const queries = gets([
  ["/stores/5/top-items?limit=0", bad(/^limit: expected an integer from 1 to 100,/)],
  ["/stores/5/top-items?limit=1&limit=2", bad(/^limit/)],
  ["/stores/5/top-items?date=20260230", noDate],
  ["/stores/5/top-items?from=20261120", bad(/^to: expected a date beside from, got nothing/)],
  ["/items/5/top-stores?by=price", bad(/^by: expected one of quantity, grossSales, netSales/)],
  // The currency is left out when it cannot be read within a moment.
  ["/stores/5/items/5/rank?by=netSales", ok(200, /"rank":null,"around":\[\],("currency":"EUR",)?"netSales":"0.0000"/)],
  ["/stores/5/items/5/rank?around=11", bad(/^around: expected an integer from 0 to 10,/)],
  ["/regions/a%2Fb%20%3F/top-items", bad(/^region: expected a region of a registered store, got "a\/b \?"/)],
  ["/regions/%20/top-stores", bad(/^region: expected a text of 1 to 60 characters/)],
  ["/stores/5/top-items?Limit=1", bad(/^Limit: expected no such field/)],
  ["/stores/5/top-items?__proto__=1", unknown],
  [`/items/store/5?${Array.from({ length: 2000 }, (_, n) => `a${n}`).join("&")}`, rejected([400, 414], /./)],
  ["/purchases?storeID=1&storeID=2", bad(/^storeID/)],
  ["/purchases?date=20261120", bad(/^storeID: expected a storeID or a customer/)],
  ["/purchases?cursor=x", noCursor],
  [`/purchases?cursor=20261120-${"f".repeat(32)}`, ok(200, /"purchases":\[\]/)],
  ["/events/5", noId],
  ["/events/019d0000-0000-7000-8000-000000000000", ok(200, /"stored":false,"ranked":false/)],
  ["/matches/5?mutual=1", bad(/^mutual: expected true or false/)],
  ["/skiers/5/vertical", noParameter],
  ["/skiers/5/vertical?resort=r&season=65536", bad(/^season: expected an integer from 0 to 65535/)],
  ["/steps/top", number("day")],
  ["/steps/range/1/1/10001", bad(/^numDays: expected an integer from 0 to 10000/)],
  ["/albums/top?by=year", rejectedMsg(400, /^by: expected likes or dislikes/)],
  ["/albums/5", noAlbum],
  [`/albums/${oldAlbum}`, noAlbum],
  [`/review/${oldAlbum}`, noAlbum],
  ["/albums/", rejectedMsg(405, /^method: expected POST, got GET/)],
  ["/dead-letters/x", rejected(404, noLetter)],
  [`/dead-letters/${oldAlbum}`, rejected(404, noLetter)],
  ["/dead-letters?domain=nowhere", bad(/^domain: expected one of purchases/)],
  ["/dead-letters?state=any", bad(/^state: expected open, parked, replayed or discarded/)],
  ["/dead-letters?limit=0", bad(/^limit: expected an integer from 1 to 1000/)],
  ["/dead-letters?page=2", bad(/^page: /)],
  ["/live", bad(/^watch: expected 1 to 8 paths of GET routes/)],
  [`/live?${"watch=/status&".repeat(9)}`, bad(/^watch: expected 1 to 8 paths of GET routes/)],
  ...["/nowhere", "/steps/current/1", "/health/live"].map(
    (path) => [`/live?watch=${path}`, bad(/^watch: expected a path of a GET route with a JSON response/)] as const,
  ),
  ["/live?watch=/stores/x/top-items", bad(/^storeID: expected an integer/)],
  ["/live?watch=/stores/1/top-items%3Flimt=3", bad(/^limt: /)],
]);

const strangeType = stores(
  "steps with a strange Content-Type are stored",
  (n) => raw([`POST ${stepsPath(n)} HTTP/1.1`, "Host: tally", "Content-Type: ;;;", "Content-Length: 4"], "\0\xff{"),
  stepsAccepted,
  steps,
);

export const paths: readonly HttpCase[] = [...badIds, ...places, ...encodings, ...queries, strangeType];

/** What the system under test is started with. */
export const basePaths = "/shop_war,api/v1/,/steps";

const stepsOnly = rejected(405, /^method: expected POST/);
const reads = gets([
  ["/shop_war/items/store/5", ok(200, /^\{"stores":\[/)],
  ["/api/v1/current/999999999", ok(200, "0")],
  // The fixed words of a route are no user of steps.
  ["/shop_war/items/top5/1", ok(200, /^\{"stores":\[/)],
  ["/shop_war/steps/top?day=1", ok(200, /"users":/)],
  ["/shop_war/items/store/x", bad(/^storeID: expected an integer/)],
  ["/shop_war", noSuchPath],
  ["/api/items/store/5", noSuchPath],
  ["/current/3", noSuchPath],
  // Two base paths, and a climb behind one, are paths of steps, which has no GET.
  ["/shop_war/../items/store/5", stepsOnly],
  ["/shop_war/albums/5", rejectedMsg(404, /^albumID/)],
]);

type Stored = readonly [name: string, (n: number) => Buffer, (n: number) => StoredContent, ExpectedResponse?];
const stored: readonly HttpCase[] = (
  [
    ["a sale below an escaped base path", (n) => post(`/%73hop_war${salePath(n)}`, saleBody), sale],
    ["a ride below a base path", (n) => post("//api/v1/skiers/liftrides/", rideBody(n)), ride],
    // Below a base path the word steps may be left out. A base path may be that word.
    ...["/shop_war/N", "//shop_war//N", "/shop_war/steps/N", "/steps/N", "/steps/steps/N"].map((path): Stored => [
      path,
      (n) => post(`${path.replace("N", `${n}`)}/3/14/250`, "", []),
      steps,
      stepsAccepted,
    ]),
  ] satisfies readonly Stored[]
).map(([name, send, content, expected = created]) => stores(`${name} is stored`, send, expected, content));

/** Requests below base paths, and what only looks like one. */
export const belowBasePaths: readonly HttpCase[] = [
  ...reads,
  ...stored,
  asks("steps at the root need /steps", (n) => post(`/${n}/3/14/250`, "", []), noSuchPath),
  asks("a user named steps", () => post("/shop_war/steps/1/8/1", "", []), bad(/^userID: .*got "steps"/)),
  asks("another method below a base path gets 405 with Allow", () => get("/shop_war/swipe/left"), {
    ...rejected(405, /./),
    headers: { allow: /\bPOST\b/ },
  }),
  stores(
    "a key counts for a store whichever base path it comes by",
    (n) => inTurn(...["", "/shop_war", "/api/v1"].map((base) => post(base + salePath(n), saleBody, keyed("b")))),
    [created, created, created],
    (n) => [sale(n), sale(n), sale(n)],
  ),
];
