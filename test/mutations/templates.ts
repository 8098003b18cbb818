import { formType } from "../http/form.ts";
import type { Random } from "@tally/bench/kit";
import { jsonType, type RequestModel } from "./request-model.ts";
import { albumForm, entry } from "../http/sample-requests.ts";

/** BASE_PATHS of the system under test. */
export const basePaths = "/shop_war,api/v1/";

/** What mutations know of the system: albums that exist. */
export interface World {
  readonly albums: readonly [string, ...string[]];
}

const get = (target: string): RequestModel => ({ method: "GET", target, headers: [], body: undefined });
const post = (
  target: string,
  body: string | Buffer | undefined,
  type: readonly [string, string] | undefined = jsonType,
): RequestModel => ({
  method: "POST",
  target,
  headers: type === undefined ? [] : [type],
  body: body === undefined ? undefined : Buffer.from(body),
});

const formHeader = ["Content-Type", formType.replace("Content-Type: ", "")] as const;
const lines = ["Content-Type", "application/x-ndjson"] as const;

type Template = (n: number, random: Random, world: World) => RequestModel;

function items(random: Random): string {
  const item = (): string =>
    random.once(2)
      ? `{"ItemID":"${random.integer(1, 99_999)}","numberOfItems":${random.integer(1, 9)}}`
      : `{"ItemID":${random.integer(1, 99_999)},"numberOfItems:":${random.integer(1, 9)}}`;
  return `[${Array.from({ length: random.integer(1, 5) }, item).join()}]`;
}

/** A valid POST of every route; `n` occurs in it, so that a row shows which request it came from. */
const posts: readonly [Template, ...Template[]] = [
  (n, random) => post(`/purchase/${n}/customer/${random.integer(0, 999)}/date/20261120`, `{"items":${items(random)}}`),
  (n, random) =>
    post(`/shop_war/purchase/${n}/customer/${random.integer(0, 999)}/date/20240229/`, `{"items":${items(random)}}`),
  (n, random) => post("/purchases", `[${Array.from({ length: random.integer(1, 4) }, () => entry(n)).join(", ")}]`),
  (n, random) => post("/purchases", Array.from({ length: random.integer(1, 4) }, () => entry(n)).join("\n"), lines),
  (n) => post("/swipe/left", `{"swiper":"${n}","swipee":"7","comment":"you are not my type"}`),
  (n) => post("//swipe/right/", `{"swiper":${n},"swipee":9007199254740991,"comment":"Grüße 🎿 \\u00e9"}`),
  (n) => post("/skiers/liftrides", `{"resortID":"silverMt","dayID":"1","skierID":"${n}","time":"408","liftID":"27"}`),
  (n) => post(`/api/v1/skiers/Z%C3%BCrich/seasons/2026/days/12/skiers/${n}`, '{"time":1440,"liftID":39}'),
  (n, random) =>
    post(
      `/steps/${n}/${random.integer(1, 365)}/${random.integer(0, 23)}/${random.integer(0, 5000)}`,
      undefined,
      undefined,
    ),
  (n, random) =>
    post(`/shop_war/${n}/${random.integer(1, 365)}/${random.integer(0, 23)}/${random.integer(0, 5000)}`, "any text"),
  (n) => post("/albums", albumForm(n), formHeader),
  (_, random, { albums }) =>
    post(`/review/${random.pick(["like", "dislike"])}/${random.pick(albums)}`, undefined, undefined),
];

/** A GET of every route. */
const gets: readonly [Template, ...Template[]] = [
  () => get("/items/store/5"),
  () => get("/items/top5/85571"),
  () => get("/shop_war/items/top10/85571"),
  () => get("/stores/5/top-items?limit=3"),
  () => get("/stores/5/top-items?date=20261120&limit=10"),
  () => get("/items/85571/top-stores?limit=10"),
  () => get("/purchases?storeID=5&date=20261120&limit=10"),
  () => get("/purchases?customer=5&limit=5&cursor=20261120-019d0000000070008000000000000000"),
  () => get("/events/019d0000-0000-7000-8000-000000000000"),
  () => get("/health/live"),
  (_, random, { albums }) => get(`/albums/${random.pick(albums)}`),
  (_, random, { albums }) => get(`/albums/${random.pick(albums)}/image`),
  (_, random, { albums }) => get(`/review/${random.pick(albums)}`),
  () => get("/albums/top?by=dislikes&limit=10"),
  () => get("/skiers/silverMt/days/1/skiers/2"),
  () => get("/skiers/silverMt/seasons/2026/days/1/skiers/2"),
  () => get("/skiers/2/vertical?resort=silverMt&season=0"),
  () => get("/resort/day/top10vert?resort=silverMt&dayID=1"),
  () => get("/steps/current/1"),
  () => get("/shop_war/single/1/3"),
  () => get("/steps/range/1/1/30"),
  () => get("/steps/top?day=3&limit=10"),
  () => get("/matches/1?mutual=true"),
  () => get("/stats/1"),
  () => get("/swipes/top?limit=10"),
];

/** A valid request: three of four are POSTs. */
export function validRequest(n: number, random: Random, world: World): RequestModel {
  return random.once(4) ? random.pick(gets)(n, random, world) : validPost(n, random, world);
}

export function validPost(n: number, random: Random, world: World): RequestModel {
  return random.pick(posts)(n, random, world);
}
