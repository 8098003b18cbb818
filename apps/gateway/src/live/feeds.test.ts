import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Feed, Feeds, type WatchedResponse } from "./feeds.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval", "setTimeout"] }));
afterEach(() => vi.useRealTimers());

const turns = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function viewer() {
  const seen: string[] = [];
  const changed = (feed: Feed): void => void seen.push(String(feed.frame(0)));
  return { changed, seen };
}

const opened = () => ({ feeds: new Feeds(), one: viewer() });

const full: WatchedResponse = { status: 503, body: "{}" };

/** A path whose responses the test decides. */
function source(responses: () => string | Promise<string>, everyMs?: number) {
  let reads = 0;
  return {
    get reads() {
      return reads;
    },
    of: () => ({
      everyMs,
      full,
      async read(): Promise<WatchedResponse> {
        reads++;
        return { status: 200, body: await responses() };
      },
    }),
  };
}

test("a path is read once every 800 ms for all its viewers, and they get only changes", async () => {
  const feeds = new Feeds();
  const viewers = [viewer(), viewer(), viewer()];
  let body = "1";
  const path = source(() => body);
  for (const one of viewers) feeds.join("/a", one, path.of);
  await turns(5000);
  expect(path.reads).toBeGreaterThanOrEqual(6);
  expect(path.reads).toBeLessThanOrEqual(8);
  body = "2";
  await turns(900);
  for (const { seen } of viewers) expect(seen.map((frame) => /"body":(\d)/.exec(frame)?.[1])).toEqual(["1", "2"]);
});

test("a new viewer finds the newest response, and the last one that leaves ends the feed", async () => {
  const feeds = new Feeds();
  const [first, second] = [viewer(), viewer()];
  const path = source(() => '{"a":1}');
  feeds.join("/a", first, path.of);
  await turns(100);
  const frame = String(feeds.join("/a", second, path.of).frame(3));
  expect(frame).toMatch(/^event: data\ndata: \{"watch":3,"status":200,"body":\{"a":1\},"at":"20[^"]+Z"\}\n\n$/);
  feeds.leave("/a", first);
  expect(vi.getTimerCount()).toBe(1);
  feeds.leave("/a", second);
  const { reads } = path;
  await turns(5000);
  expect(path.reads).toBe(reads);
  expect(vi.getTimerCount()).toBe(0);
});

test("a thousand paths together are read at most 200 times a second, each in its turn", async () => {
  const { feeds, one } = opened();
  const paths = Array.from({ length: 1000 }, () => source(() => "1"));
  paths.forEach((path, index) => feeds.join(String(index), one, path.of));
  await turns(10_000);
  const reads = paths.map((path) => path.reads);
  expect(reads.reduce((a, b) => a + b)).toBeLessThanOrEqual(1000 + 2005);
  expect([Math.min(...reads), Math.max(...reads)]).toEqual([expect.any(Number), 3]);
  expect(Math.min(...reads)).toBeGreaterThanOrEqual(2);
});

test.each([
  [undefined, 4],
  [500, 18],
  [1000, 9],
])("a response that takes 200 ms, with a period of %s ms, is read %i times in 9 s", async (everyMs, most) => {
  const { feeds, one } = opened();
  const slow = () => new Promise<string>((resolve) => setTimeout(resolve, 200, "1"));
  const path = source(slow, everyMs);
  feeds.join("/a", one, path.of);
  await turns(9000);
  expect(path.reads).toBeGreaterThanOrEqual(most);
  expect(path.reads).toBeLessThanOrEqual(most + 2);
});

test.each([undefined, 500])(
  "reads that take 4 s, with a period of %s ms, are 40 s apart from the third on",
  async (everyMs) => {
    const { feeds, one } = opened();
    const path = source(() => new Promise<string>((resolve) => setTimeout(resolve, 4000, "1")), everyMs);
    feeds.join("/a", one, path.of);
    await turns(20_000);
    expect(path.reads).toBe(2);
    await turns(115_000);
    expect(path.reads).toBe(5);
  },
);

test("paths that are joined at different times are read in one turn", async () => {
  const { feeds, one } = opened();
  const readAtMs: number[][] = [];
  for (const path of ["/a", "/b", "/c"]) {
    const own: number[] = [];
    readAtMs.push(own);
    const read = async (): Promise<WatchedResponse> => {
      own.push(performance.now());
      return { status: 200, body: "1" };
    };
    feeds.join(path, one, () => ({ read, full }));
    await turns(130);
  }
  await turns(5000);
  const [last = []] = readAtMs.map((own) => own.slice(-5));
  expect(readAtMs.map((own) => own.slice(-5))).toEqual([last, last, last]);
  expect(last.map((at, index) => at - (last[0] ?? 0) - index * 800)).toEqual([0, 0, 0, 0, 0]);
});

test("a path that does not respond is not read again", async () => {
  const { feeds, one } = opened();
  const path = source(() => new Promise<string>(() => undefined));
  feeds.join("/a", one, path.of);
  await turns(60_000);
  expect(path.reads).toBe(1);
});

test("feeds have room until their responses have 64 MiB, and again when viewers leave", async () => {
  const { feeds, one } = opened();
  const paths = Array.from({ length: 200 }, (_, n) => `/${n}`);
  const body = "1".repeat(256 * 1024);
  for (const path of paths) feeds.join(path, one, source(() => body).of);
  expect(feeds.hasRoom).toBe(true);
  await turns(2000);
  expect(feeds.hasRoom).toBe(false);
  for (const path of paths) feeds.leave(path, one);
  expect(feeds.hasRoom).toBe(true);
  const joined = paths.slice(0, 100).map((path) => feeds.join(path, one, source(() => body).of));
  await turns(2000);
  expect(feeds.hasRoom).toBe(true);
  // One event for each place that the path has among the paths of its viewers.
  for (const feed of joined) for (const index of [0, 3, 7]) feed.frame(index);
  expect(feeds.hasRoom).toBe(false);
});

test("many paths that are joined at once show their first responses while there is room, and the others later", async () => {
  const { feeds, one } = opened();
  const body = "1".repeat(256 * 1024);
  const joined = Array.from({ length: 1000 }, (_, n) => feeds.join(`/${n}`, one, source(() => body).of));
  expect(feeds.hasRoom).toBe(true);
  await turns(10_000);
  const bytes = joined.reduce((sum, feed) => sum + feed.bytes, 0);
  expect(bytes).toBeGreaterThanOrEqual(64 * 1024 * 1024);
  expect(bytes).toBeLessThan(64 * 1024 * 1024 + 2 * body.length);
  for (const n of joined.keys()) if (n < 990) feeds.leave(`/${n}`, one);
  await turns(1000);
  expect(joined.slice(990).map((feed) => feed.bytes)).toEqual(Array(10).fill(2 * body.length));
});

test("a text with a character beyond Latin-1 counts twice", () => {
  const feed = new Feed();
  for (const [body, bytes] of [
    ["111ä", 4 + 4],
    ["111€", 8 + 8],
  ] as const) {
    feed.update({ status: 200, body });
    expect(feed.bytes).toBe(bytes);
  }
});
