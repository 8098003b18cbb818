import type { Random } from "@tally/bench/kit";
import { albumForm, entry, formType, inChunks, raw } from "../http/requests.ts";

/** A request before it is written: what a mutation changes, and what the test reads the meaning from. */
export interface RequestModel {
  readonly method: string;
  /** As it appears in the request line. */
  readonly target: string;
  /** Without Host and without what frames the body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As it travels, compressed where Content-Encoding says so; undefined: none. */
  readonly body: Buffer | undefined;
  /** Sizes of chunks; absent: a Content-Length. */
  readonly chunkSizes?: readonly number[];
}

export function headerOf({ headers }: RequestModel, name: string): string | undefined {
  return headers.find(([own]) => own.toLowerCase() === name)?.[1];
}

/** The bytes of a request. */
export function bytesOf({ method, target, headers, body, chunkSizes }: RequestModel): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target} HTTP/1.1`, "Host: tally", ...lines];
  if (body === undefined && chunkSizes === undefined) return raw(head);
  if (chunkSizes === undefined) return raw([...head, `Content-Length: ${body?.length}`], body);
  const chunks: Buffer[] = [];
  for (let rest = body ?? Buffer.alloc(0), turn = 0; rest.length > 0; turn++) {
    const size = chunkSizes[turn % chunkSizes.length] ?? rest.length;
    chunks.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return raw([...head, "Transfer-Encoding: chunked"], inChunks(chunks));
}

/** What mutations know of the system: albums that exist. */
export interface World {
  readonly albums: readonly [string, ...string[]];
}

type Template = (n: number, random: Random, world: World) => RequestModel;

const jsonType = "application/json";
const post = (target: string, body?: string | Buffer, type: string | undefined = jsonType): RequestModel => ({
  method: "POST",
  target,
  headers: body === undefined ? [] : [["Content-Type", type]],
  body: body === undefined ? undefined : Buffer.from(body),
});

const several = <T>(random: Random, most: number, one: () => T): readonly T[] =>
  Array.from({ length: random.integer(1, most) }, one);
const sale = (random: Random): string => {
  const key = random.pick(["numberOfItems", "numberOfItems:"]);
  const item = () => `{"ItemID":"${random.integer(1, 99_999)}","${key}":${random.integer(1, 9)}}`;
  return `{"items":[${several(random, 5, item).join()}]}`;
};
const hour = (random: Random): string =>
  `${random.integer(1, 365)}/${random.integer(0, 23)}/${random.integer(0, 5000)}`;

/** A valid POST of every route; `n` occurs in it, so that a row shows which request it came from. */
const posts: readonly [Template, ...Template[]] = [
  (n, random) => post(`/purchase/${n}/customer/${random.integer(0, 999)}/date/20261120`, sale(random)),
  (n, random) => post(`/shop_war/purchase/${n}/customer/${random.integer(0, 999)}/date/20240229/`, sale(random)),
  (n, random) => post("/purchases", `[${several(random, 4, () => entry(n)).join(", ")}]`),
  (n, random) => post("/purchases", several(random, 4, () => entry(n)).join("\n"), "application/x-ndjson"),
  (n) => post("/swipe/left", `{"swiper":"${n}","swipee":"7","comment":"you are not my type"}`),
  (n) => post("//swipe/right/", `{"swiper":${n},"swipee":9007199254740991,"comment":"Grüße 🎿 \\u00e9"}`),
  (n) => post("/skiers/liftrides", `{"resortID":"silverMt","dayID":"1","skierID":"${n}","time":"408","liftID":"27"}`),
  (n) => post(`/api/v1/skiers/Z%C3%BCrich/seasons/2026/days/12/skiers/${n}`, '{"time":1440,"liftID":39}'),
  (n, random) => post(`/steps/${n}/${hour(random)}`),
  (n, random) => post(`/shop_war/${n}/${hour(random)}`, "any text"),
  (n) => post("/albums", albumForm(n), formType.replace("Content-Type: ", "")),
  (_, random, { albums }) => post(`/review/${random.pick(["like", "dislike"])}/${random.pick(albums)}`),
];

/** A GET of every kind of route; ALBUM stands for an album that exists. */
const gets = `/items/store/5 /shop_war/items/top10/85571 /stores/5/top-items?date=20261120&limit=10
  /items/85571/top-stores?limit=10 /purchases?storeID=5&date=20261120&limit=10 /health/live /steps/current/1
  /purchases?customer=5&limit=5&cursor=20261120-019d0000000070008000000000000000 /albums/ALBUM /albums/ALBUM/image
  /events/019d0000-0000-7000-8000-000000000000 /review/ALBUM /albums/top?by=dislikes&limit=10
  /skiers/silverMt/seasons/2026/days/1/skiers/2 /skiers/2/vertical?resort=silverMt&season=0
  /resort/day/top10vert?resort=silverMt&dayID=1 /shop_war/single/1/3 /steps/range/1/1/30 /steps/top?day=3&limit=10
  /matches/1?mutual=true /stats/1 /swipes/top?limit=10`.split(/\s+/);

export const validPost: Template = (n, random, world) => random.pick(posts)(n, random, world);

/** A valid request: three of four are POSTs. */
export const validRequest: Template = (n, random, world) => {
  if (!random.once(4)) return validPost(n, random, world);
  const target = gets[random.integer(0, gets.length - 1)] ?? "/";
  return { method: "GET", target: target.replace("ALBUM", random.pick(world.albums)), headers: [], body: undefined };
};
