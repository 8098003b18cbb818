import { batchDecoder, encodeBatch, encodeEvent, eventIdOfKey, newEventId, utcDayOf } from "@tally/contract";
import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import { workload as albums } from "./albums.ts";
import { spreadOver, type SourceGroup } from "./workload.ts";
import { workloadOf, workloads } from "./workloads.ts";

const [low, half, high] = [() => 0, () => 0.5, () => 1 - 2 ** -31] as const;

const groupsOf = (domain: string, run: number, scale = 1): readonly SourceGroup[] =>
  workloadOf(domain).source?.runs[run]?.groups(scale) ?? [];
const total = (groups: readonly SourceGroup[] = []): number =>
  groups.reduce((sum, { connections, requestsOfEach }) => sum + connections * requestsOfEach, 0);

/** A request in one line: what group `group` of a run sends as its request `n`. */
function requestOf(domain: string, [run, group, n]: readonly [number, number, number], random: () => number, id = "") {
  const { method, path, body = "" } = groupsOf(domain, run)[group]?.request(0, n, random, { eventId: id }) ?? {};
  return `${method} ${path} ${String(body)}`.trimEnd();
}

test("every domain has a workload, in the same order", () => {
  expect(workloads.map(({ domain }) => domain)).toEqual(domains.map(({ name }) => name));
});

test.each(domains)("the poison event of $name fits the schema", ({ name, event, eventVersion }) => {
  const encoded = encodeEvent({ ...workloadOf(name).poison, id: newEventId() });
  const body = encodeBatch({ producer: "0".repeat(16), sequence: 0 }, 0, [encoded], eventVersion);
  expect(batchDecoder(event, eventVersion)(body).events).toHaveLength(1);
});

test.each([
  ["purchases", 1, [256 * 2700, 512 * 2700, 32 * 2700, 64 * 2700, 128 * 2700, 1024 * 2700, 32 * 540]],
  ["purchases", 0.1, [256 * 270, 512 * 270]],
  // The later load has three readers, which send 400 requests each.
  ["albums", 1, [200_000, 400_000, 600_000, 40_000 + 1200, 80_000 + 1200, 120_000 + 1200]],
  ["albums", 0.1, [20_000, 40_000, 60_000]],
  ["liftrides", 1, [386_880, 773_760]],
  ["steps", 1, [240_500, 481_000, 962_000, 1_925_500]],
  ["swipes", 1, [500_000, 500_000]],
  ["swipes", 0.01, [5000]],
  ["swipes", 0.0001, [900]],
])("the source of %s sends at scale %f as many requests as the contract says: %j", (domain, scale, expected) => {
  expect(expected.map((_, run) => total(groupsOf(domain, run, scale)))).toEqual(expected);
});

test("a source's warm-up has as many requests as the contract says", () => {
  expect(albums.source.runs.slice(0, 3).map(({ warmUp }) => total(warmUp?.(1)))).toEqual([2000, 2000, 2000]);
});

test.each([
  ["purchases", 1, ["east 128", "central 128 after 900 of 1 of east", "west 256 after 1500 of 1 of east"]],
  ["albums", 2, ["group 0 10 after 0 s", "group 1 10 after 2 s", "group 2 10 after 4 s"]],
  ["albums", 5, ["group 29 10 after 58 s", "readers 3 after 2 of 1 of group 0"]],
  ["liftrides", 0, ["start-up 64", "peak 256 after 1005 of 7 of start-up", "closing 64 after 1005 of 26 of peak"]],
  ["steps", 1, ["warm-up 6", "load 32 after 1500 of 6 of warm-up", "peak 64 after 2500 of 32 of load"]],
  ["steps", 1, ["cool-down 16 after 5500 of 64 of peak"]],
  ["swipes", 1, ["one more each 500", "swiping 400", "readers 5 every 200 ms"]],
])("the connections of %s in run %i start as the source says: %j", (domain, run, expected) => {
  const groups = groupsOf(domain, run).map(({ name, connections, startsAfter, startsAfterSeconds, pacedEveryMs }) => {
    const { group, connections: ended, responses } = startsAfter ?? {};
    const after = group === undefined ? "" : ` after ${responses} of ${ended} of ${group}`;
    const seconds = startsAfterSeconds === undefined ? "" : ` after ${startsAfterSeconds} s`;
    return `${name} ${connections}${after}${seconds}${pacedEveryMs === undefined ? "" : ` every ${pacedEveryMs} ms`}`;
  });
  expect(groups).toEqual(expect.arrayContaining(expected));
});

test("purchases: each store is one connection with separate customers, and buys 5 of 99,999 items", () => {
  const paths = groupsOf("purchases", 1).flatMap(({ connections, request }) =>
    Array.from({ length: connections }, (_, connection) => request(connection, 0, high).path),
  );
  const date = String(utcDayOf(Date.now() - 86_400_000));
  expect(paths).toEqual(paths.map((_, n) => `/purchase/${n + 1}/customer/${n + 1}999/date/${date}`));
  const bodyWith = (item: string) => `{"items":[${Array(5).fill(`{"ItemID":"${item}","numberOfItems":1}`).join(",")}]}`;
  expect(requestOf("purchases", [0, 0, 0], low)).toContain(bodyWith("1"));
  expect(requestOf("purchases", [0, 0, 0], high)).toContain(bodyWith("99999"));
  const priced = String(workloadOf("purchases").next(low, "wide", { isPriced: true }).body);
  expect(priced.match(/"numberOfItems":1,"unitPrice":"1\.99"/g)).toHaveLength(5);
});

test("albums: a thread posts one and reads it; later it likes and dislikes it, and readers get reviews", () => {
  expect(requestOf("albums", [0, 0, 0], half)).toMatch(/^POST \/albums /);
  expect(requestOf("albums", [0, 0, 1], half, "y")).toBe("GET /albums/y");
  const groups = groupsOf("albums", 5);
  const group = groups[0];
  expect(group?.requestsOfEach).toBe(400);
  const paths = ["", "album", "review", "review"].map((eventId, n) => group?.request(7, n, half, { eventId }).path);
  expect(paths).toEqual(["/albums", "/review/like/album", "/review/like/album", "/review/dislike/album"]);
  expect(groups.at(-1)?.request(0, 0, half).path).toBe("/review/album");
});

test("albums: a review names its album also by an id without a time", () => {
  const [keyed, now] = [eventIdOfKey("albums", "k"), Date.now()];
  const { method, path, units } = albums.followUp(half, keyed, now);
  const [, opinion, albumId = ""] = path.slice(1).split("/");
  expect([method, units, opinion]).toEqual(["POST", 1, "dislike"]);
  expect(albumId).toBe(`${keyed}.${now.toString(36)}`);
});

test.each([
  [undefined, 67],
  [100_000, 100_000],
])("albums: an image of %j bytes has %i", (contentBytes, expected) => {
  const form = Buffer.from(albums.next(half, "wide", { contentBytes }).body ?? "");
  const start = form.indexOf("\r\n\r\n") + 4;
  const picture = form.subarray(start, form.indexOf("\r\n------tally", start));
  expect([picture.length, picture.toString("latin1", 1, 4)]).toEqual([expected, "PNG"]);
});

test.each([
  [0, "1", "90", 5, 0],
  [1, "91", "360", 5, 0],
  [2, "361", "420", 10, 10],
])("liftrides: phase %i has the minutes %s to %s; its reads come last", (phase, from, to, days, verticals) => {
  const ride = (n: number, random: () => number) => requestOf("liftrides", [1, phase, n], random);
  const body = '{"resortID":"silverMt","dayID":"1",';
  expect(ride(999, low)).toBe(`POST /skiers/liftrides ${body}"skierID":"1","time":"${from}","liftID":"0"}`);
  expect(ride(999, high)).toBe(`POST /skiers/liftrides ${body}"skierID":"50000","time":"${to}","liftID":"39"}`);
  expect(Array.from({ length: days + verticals }, (_, n) => ride(1000 + n, low))).toEqual([
    ...Array(days).fill("GET /skiers/silverMt/days/1/skiers/1"),
    ...Array(verticals).fill("GET /skiers/1/vertical?resort=silverMt"),
  ]);
});

test("steps: a thread posts for two users, reads the days of both, and posts for a third", () => {
  const { request } = groupsOf("steps", 0)[0] ?? {};
  let drawn = 0;
  const sent = [0, 1, 2, 3, 4].map((n) => {
    request?.(1, n, high); // another thread
    return request?.(0, n, () => drawn++ / 1000).path;
  });
  const posts = ["/steps/1/1/0/15", "/steps/1001/1/0/20", "/steps/2001/1/0/25"];
  expect(sent).toEqual([...posts.slice(0, 2), "/steps/current/1", "/steps/single/1001/1", posts[2]]);
});

test.each([
  [0, 0, 2],
  [1, 3, 7],
  [2, 8, 18],
  [3, 19, 23],
])("steps: phase %i has 100 iterations for each of the hours %i to %i", (phase, from, to) => {
  const hours = [0, 99, 100, 100 * (to - from + 1) - 1].map((iteration) =>
    Number(requestOf("steps", [0, phase, 5 * iteration], low).split("/")[4]),
  );
  expect(hours).toEqual([from, from, from + 1, to]);
});

test("swipes: 5,000 swipers, 1,000,000 swipees, comments of 256 letters, 5 retries, readers", () => {
  expect(requestOf("swipes", [0, 0, 0], low)).toMatch(/^POST \/swipe\/left \{"swiper":"1","swipee":"1",/);
  const highest = /^POST \/swipe\/right \{"swiper":"5000","swipee":"1000000","comment":"[a-z]{256}"\}$/;
  expect(requestOf("swipes", [0, 0, 0], high)).toMatch(highest);
  expect(workloadOf("swipes").source?.runs.map(({ retries }) => retries)).toEqual([5, 5]);
  expect(requestOf("swipes", [1, 2, 0], () => 0.25)).toBe("GET /matches/1251");
  expect(requestOf("swipes", [1, 2, 0], () => 0.75)).toBe("GET /stats/3751");
});

test("zipf draws the nth number 1/n as often as the first, and none out of range", () => {
  const { zipf } = spreadOver(1000, 1);
  const rounds = 200_000;
  const counts = new Float64Array(1002);
  for (let i = 0; i < rounds; i++) {
    const n = zipf(() => (i + 0.5) / rounds);
    counts[n] = (counts[n] ?? 0) + 1;
  }
  const first = counts[1] ?? 0;
  for (const n of [2, 3, 10, 100, 1000]) expect((counts[n] ?? 0) / first).toBeCloseTo(1 / n, 2);
  expect([counts[0], counts[1001], counts.reduce((a, b) => a + b)]).toEqual([0, 0, rounds]);
});
