import {
  asks,
  get,
  live,
  noSuchPath,
  ok,
  post,
  raw,
  refused,
  refusedMsg,
  stores,
  type ExpectedResponse,
  type HttpCase,
} from "../http/http-case.ts";
import { saleBody, steps, stepsAccepted, stepsPath } from "../http/sample-requests.ts";

/** Rejects a number in the path or the query. */
const number = (field: string): ExpectedResponse => refused(400, new RegExp(`^${field}: expected an integer from `));
const bad = (text: RegExp): ExpectedResponse => refused(400, text);

const ask = (path: string, expected: ExpectedResponse): HttpCase =>
  asks(`GET ${JSON.stringify(path).slice(0, 70)} gets ${String(expected.status)}`, () => get(path), expected);
const send = (path: string, expected: ExpectedResponse, body = saleBody): HttpCase =>
  asks(`POST ${JSON.stringify(path).slice(0, 70)} gets ${String(expected.status)}`, () => post(path, body), expected);

const ids =
  `abc -1 1.5 1e3 0x5 9007199254740992 99999999999999999999 %00 1%00 %201 5%0a 1'OR'1 %D9%A3 null NaN %F0%9F%8E%BF ..%2f..%2fetc%2fpasswd`.split(
    " ",
  );

const badIds: readonly HttpCase[] = [
  ...ids.map((id) => ask(`/items/store/${id}`, number("storeID"))),
  ...ids.slice(0, 8).map((id) => ask(`/items/top5/${id}`, number("itemID"))),
  ...ids.slice(0, 8).map((id) => ask(`/matches/${id}`, number("userID"))),
  ...ids.slice(0, 2).map((id) => ask(`/stats/${id}`, number("userID"))),
  ...ids.slice(0, 8).map((id) => ask(`/steps/current/${id}`, number("userID"))),
  ...ids.slice(0, 8).map((id) => ask(`/skiers/${id}/vertical?resort=r`, number("skierID"))),
  ...ids.map((id) => send(`/purchase/${id}/customer/1/date/20261120`, number("storeID"))),
  ...ids.slice(0, 6).map((id) => send(`/purchase/1/customer/${id}/date/20261120`, number("custID"))),
  ...ids.slice(0, 6).map((id) => send(`/steps/${id}/1/1/1`, number("userID"))),
];

const noDate = bad(/^date: expected a calendar date/);
const noResort = bad(/^resortID: expected a resort/);
const noDirection = bad(/^leftorright: expected left or right/);
const swipe = '{"swiper":1,"swipee":2}';
const ride = '{"time":1,"liftID":1}';

const places: readonly HttpCase[] = [
  send("/steps/1/0/1/1", bad(/^day: expected an integer from 1 to 4294967295, got "0"/)),
  send("/steps/1/4294967296/1/1", number("day")),
  send("/steps/1/1/24/1", bad(/^timeInterval: expected an integer from 0 to 23, got "24"/)),
  send("/steps/1/1/x/1", number("timeInterval")),
  send("/steps/1/1/1/100001", bad(/^stepCount: expected an integer from 0 to 100000, got "100001"/)),
  send("/steps/1/1/1/1.5", number("stepCount")),
  send("/steps/1/1/1/", noSuchPath),
  send("/steps/1/1/1/1/1", noSuchPath),
  send("/purchase/1/customer/1/date/20260230", noDate),
  send("/purchase/1/customer/1/date/20261120%00", noDate),
  send("/Purchase/1/customer/1/date/20261120", noSuchPath),
  send("/purchase/1/customer/1/date", noSuchPath),
  send("/swipe/up", bad(/^leftorright: expected left or right, got "up"/), swipe),
  send("/swipe/LEFT", noDirection, swipe),
  send("/swipe/left%00", noDirection, swipe),
  send("/swipe", noSuchPath, "{no JSON"),
  send("/nowhere", noSuchPath, "{no JSON"),
  send("/skiers/r/seasons/x/days/1/skiers/1", bad(/^seasonID: expected an integer from 0 to 65535, got "x"/), ride),
  send("/skiers/r/seasons/65536/days/1/skiers/1", number("seasonID"), ride),
  send("/skiers/r/seasons/1/days/-1/skiers/1", number("dayID"), ride),
  send("/skiers/r/seasons/1/days/65536/skiers/1", number("dayID"), ride),
  send("/skiers/%20/seasons/1/days/1/skiers/1", noResort, ride),
  send("/skiers/a%00b/seasons/1/days/1/skiers/1", noResort, ride),
  send(`/skiers/${"r".repeat(65)}/seasons/1/days/1/skiers/1`, noResort, ride),
];

const noEncoding = /^path: expected valid percent-encoding/;
const encodings: readonly HttpCase[] = [
  ...["%", "%zz", "%5", "%ff", "%c0%af", "%ed%a0%80"].map((id) => ask(`/items/store/${id}`, bad(noEncoding))),
  ask("/albums/%zz", refusedMsg(400, noEncoding)),
  ask("/items/%73tore/5", ok(200, /^\{"stores":\[/)),
  ask("/items/store/%35", ok(200, /^\{"stores":\[/)),
  ask(`/items/store/${"9".repeat(200)}`, number("storeID")),
  ask(`/items/store/${"9".repeat(3000)}`, refused(414, /^path: expected values of at most 2000 characters/)),
  ask(`/${"a/".repeat(3000)}`, refused([404, 414], /./)),
  ...["/../../etc/passwd", "/items/../health/live", "/.env", "/items/store/5/..", "//evil.example/%2f.."].map((path) =>
    ask(path, noSuchPath),
  ),
  ask("/items\\store\\5", refused([400, 404], /./)),
  ask("/items/store", refused([400, 404], /./)),
  ask("/__proto__", noSuchPath),
  ask("/constructor/prototype", noSuchPath),
  ask("/health/live/", live),
  ask("///health///live///", live),
];

const oldAlbum = "019d0000-0000-7000-8000-000000000000";
const noCursor = bad(/^cursor: expected the nextCursor/);
const noId = bad(/^id: expected an event id/);
const noAlbum = refusedMsg(404, /^albumID: expected the id of an album, got/);
const unknown = bad(/expected no such field/);

const queries: readonly HttpCase[] = [
  ask("/stores/5/top-items?limit=0", bad(/^limit: expected an integer from 1 to 100,/)),
  ask("/stores/5/top-items?limit=101", number("limit")),
  ask("/stores/5/top-items?limit=", number("limit")),
  ask("/stores/5/top-items?limit=1&limit=2", bad(/^limit/)),
  ask("/stores/5/top-items?limit[]=1", unknown),
  ask("/stores/5/top-items?limit=1%00", number("limit")),
  ask("/stores/5/top-items?limit=%zz", bad(/^(limit|path)/)),
  ask("/stores/5/top-items?date=20260230", noDate),
  ask("/stores/5/top-items?Limit=1", bad(/^Limit: expected no such field/)),
  ask("/stores/5/top-items?__proto__=1", unknown),
  ask("/stores/5/top-items?constructor=1", bad(/^constructor: expected no such field/)),
  ask("/stores/5/top-items?=1", unknown),
  ask("/stores/5/top-items?", ok(200)),
  ask("/stores/5/top-items?&&&", ok(200)),
  ask("/items/store/5?x=1", bad(/^x: expected no such field/)),
  ask(`/items/store/5?${Array.from({ length: 2000 }, (_, n) => `a${n}`).join("&")}`, refused([400, 414], /./)),
  ask("/items/top5/5?limit=3", bad(/^limit: expected no such field/)),
  ask("/purchases?storeID=x", number("storeID")),
  ask("/purchases?storeId=5", bad(/^storeId: expected no such field/)),
  ask("/purchases?storeID=1&storeID=2", bad(/^storeID/)),
  ask("/purchases?limit=1001", number("limit")),
  ask("/purchases?date=20261120", bad(/^storeID: expected a storeID or a customer/)),
  ask("/purchases?cursor=x", noCursor),
  ask(`/purchases?cursor=99999999-${"0".repeat(32)}`, bad(/^cursor: expected /)),
  ask(`/purchases?cursor=20261120-${"f".repeat(32)}`, ok(200, /"purchases":\[\]/)),
  ask("/purchases?cursor=20261120-%27%20OR%201", noCursor),
  ask("/events/5", noId),
  ask("/events/00000000-0000-0000-0000-000000000000", noId),
  ask("/events/019D0000-0000-7000-8000-00000000000G", noId),
  ask("/events/019d0000-0000-7000-8000-000000000000", ok(200, /"stored":false,"ranked":false/)),
  ask("/matches/5?mutual=1", bad(/^mutual: expected true or false/)),
  ask("/matches/5?mutual=true&mutual=true", bad(/^mutual/)),
  ask("/stats/5?x", bad(/^x: expected no such field/)),
  ask("/swipes/top?limit=-1", number("limit")),
  ask("/swipes/top?limit=0", number("limit")),
  ask("/skiers/5/vertical", bad(/^resort: expected a resort/)),
  ask("/skiers/5/vertical?resort=", bad(/^resort: expected a resort/)),
  ask("/skiers/5/vertical?resort=a%00b", bad(/^resort: expected a resort/)),
  ask("/skiers/5/vertical?resort=r&season=-1", number("season")),
  ask("/skiers/5/vertical?resort=r&season=65536", bad(/^season: expected an integer from 0 to 65535/)),
  ask("/skiers/a/days/x/skiers/1", number("dayID")),
  ask("/resort/day/top10vert?resort=r", number("dayID")),
  ask("/resort/day/top10vert?dayID=1", bad(/^resort: expected a resort/)),
  ask("/resort/day/top10vert?resort=r&dayID=65536", number("dayID")),
  ask("/steps/top", number("day")),
  ask("/steps/top?day=1&limit=0", number("limit")),
  ask("/steps/single/1/0", number("day")),
  ask("/steps/range/1/1/10001", bad(/^numDays: expected an integer from 0 to 10000/)),
  ask("/steps/range/1/0/1", number("startDay")),
  ask("/steps/range/1/4294967295/10000", { status: [200, 400] }),
  ask("/albums/top?by=year", refusedMsg(400, /^by: expected likes or dislikes/)),
  ask("/albums/top?limit=5000", refusedMsg(400, /^limit: expected an integer from 1 to 100,/)),
  ask("/albums/5", noAlbum),
  ask("/albums/%00", noAlbum),
  ask(`/albums/${oldAlbum}`, noAlbum),
  ask(`/albums/${oldAlbum}/image`, noAlbum),
  ask(`/review/${oldAlbum}`, noAlbum),
  ask("/albums/", refusedMsg(405, /^method: expected POST, got GET/)),
  send("/review/love/5", refusedMsg(400, /^opinion: expected like or dislike, got "love"/), ""),
  send("/review/like/5", noAlbum, ""),
  send(`/review/like/${oldAlbum}`, noAlbum, ""),
  send("/review/like/", refusedMsg(405, /^method: expected GET or HEAD, got POST/), ""),
  ask("/items/store/5#x", { status: [200, 400, 404] }),
  stores(
    "steps with a strange Content-Type are stored",
    (n) => raw([`POST ${stepsPath(n)} HTTP/1.1`, "Host: tally", "Content-Type: ;;;", "Content-Length: 4"], "\0\xff{"),
    stepsAccepted,
    steps,
  ),
];

/** Paths and query strings. */
export const paths: readonly HttpCase[] = [...badIds, ...places, ...encodings, ...queries];
