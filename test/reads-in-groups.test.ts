import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { RawConnection } from "./raw-http.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;
let connection: RawConnection;

beforeAll(async () => {
  system = await startSystem();
  connection = new RawConnection(system.url);
});
afterAll(async () => {
  connection.end();
  await system.stop();
});

const asked = 300;
// Those that were sent together arrive together, or in a few pieces.
const statementsMax = 30;

/** What the gateway told a domain's groups so far: statements, and the keys in them. */
async function readsOf(domain: string, endpoint: string): Promise<{ statements: number; keys: number }> {
  const body = await (await fetch(`${system.operatorUrls[0]}/metrics`)).text();
  const figure = (name: string): number => {
    const line = new RegExp(String.raw`^tally_gateway_read_keys_${name}\{(.*)\} (\d+)$`, "gm");
    const own = Array.from(body.matchAll(line)).find(
      ([, labels = ""]) => labels.includes(`domain="${domain}"`) && labels.includes(`endpoint="${endpoint}"`),
    );
    return Number(own?.[2] ?? 0);
  };
  return { statements: figure("count"), keys: figure("sum") };
}

/** The answers to GETs that are sent together, and how they were read. */
async function askTogether(domain: string, paths: readonly string[], endpoint = "read") {
  const before = await readsOf(domain, endpoint);
  const answers = await connection.getAll(paths);
  const after = await readsOf(domain, endpoint);
  const read = { statements: after.statements - before.statements, keys: after.keys - before.keys };
  return { answers: answers.map(({ status, body }) => ({ status, body })), read };
}

const json = ["Content-Type: application/json"];
const ride = (skierID: number, resortID: string, liftID: number): string =>
  JSON.stringify({ resortID, dayID: 1, skierID, time: 7, liftID });

beforeAll(async () => {
  const posts: readonly (readonly [path: string, body?: string])[] = [
    ["/steps/7/1/8/70"],
    ["/steps/7/1/9/7"],
    ["/steps/7/2/9/5"],
    ["/steps/9/1/8/90"],
    ["/skiers/liftrides", ride(7, "silverMt", 3)],
    ["/skiers/liftrides", ride(7, "SilverMT", 4)],
    ["/skiers/liftrides", ride(9, "silverMt", 5)],
    ["/swipe/right", '{"swiper":"7","swipee":"1","comment":"c"}'],
    ["/swipe/right", '{"swiper":"7","swipee":"2","comment":"c"}'],
    ["/swipe/left", '{"swiper":"7","swipee":"3","comment":"c"}'],
    ["/swipe/left", '{"swiper":"9","swipee":"3","comment":"c"}'],
  ];
  for (const [path, body = ""] of posts)
    expect((await connection.post(path, body, body === "" ? [] : json)).status).toBeLessThan(300);
  const textOf = async (path: string) => (await connection.get(path)).body;
  await vi.waitFor(async () => {
    expect(await textOf("/steps/single/7/1")).toBe("77");
    expect(await textOf("/steps/single/7/2")).toBe("5");
    expect(await textOf("/steps/single/9/1")).toBe("90");
    for (const [skier, resort, vertical] of [
      [7, "silverMt", 30],
      [7, "SilverMT", 40],
      [9, "silverMt", 50],
    ])
      expect(await textOf(`/skiers/${skier}/vertical?resort=${resort}`)).toContain(`"totalVert":${vertical}`);
    expect(await textOf("/stats/7")).toContain('"numLikes":2,"numDislikes":1');
    expect(await textOf("/stats/9")).toContain('"numLikes":0,"numDislikes":1');
  }, 20_000);
});

const vertical = (resortID: string, totalVert: number) => JSON.stringify({ resortID, totalVert });
const stats = (likes: number, numDislikes: number) =>
  JSON.stringify({ numLlikes: likes, numLikes: likes, numDislikes });

test.each([
  ["steps", "/steps/current/N", "5", "90", "0"],
  ["steps", "/steps/single/N/1", "77", "90", "0"],
  [
    "liftrides",
    "/skiers/silverMt/days/1/skiers/N",
    vertical("silverMt", 30),
    vertical("silverMt", 50),
    vertical("silverMt", 0),
  ],
  ["liftrides", "/skiers/silverMt/seasons/0/days/1/skiers/N", "30", "50", "0"],
  [
    "liftrides",
    "/skiers/N/vertical?resort=silverMt&season=0",
    vertical("silverMt", 30),
    vertical("silverMt", 50),
    vertical("silverMt", 0),
  ],
  [
    "liftrides",
    "/skiers/N/vertical?resort=SilverMT",
    vertical("SilverMT", 40),
    vertical("SilverMT", 0),
    vertical("SilverMT", 0),
  ],
  ["swipes", "/stats/N", stats(2, 1), stats(0, 1), stats(0, 0)],
])(
  "%s: %s asked by many together is read by few statements, and everyone gets his own",
  async (domain, path, of7, of9, ofOthers) => {
    const paths = Array.from({ length: asked }, (_, n) => path.replace("N", String(n)));
    const { answers, read } = await askTogether(domain, paths);
    const body = (n: number) => (n === 7 ? of7 : n === 9 ? of9 : ofOthers);
    expect(answers).toEqual(paths.map((_, n) => ({ status: 200, body: body(n) })));
    expect(read.keys).toBe(asked);
    expect(read.statements).toBeLessThan(statementsMax);
  },
);

test("what all ask for is read once for those who ask together", async () => {
  const { answers, read } = await askTogether(
    "steps",
    Array.from({ length: asked }, () => "/steps/current/7"),
  );
  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(["5"]));
  expect(read.keys).toBeLessThan(statementsMax);
});

test("names that differ in case alone are told apart within one statement", async () => {
  const paths = ["silverMt", "SilverMT", "SILVERMT"].map((resort) => `/skiers/7/vertical?resort=${resort}`);
  const { answers } = await askTogether("liftrides", paths);
  expect(answers.map(({ body }) => body)).toEqual([
    vertical("silverMt", 30),
    vertical("SilverMT", 40),
    vertical("SILVERMT", 0),
  ]);
});

test.each(["read", "write"])(
  "albums: ids that many look up together are few statements on the %s endpoint",
  async (endpoint) => {
    // Ids of long ago: nobody waits for these.
    const paths = Array.from(
      { length: asked },
      (_, n) => `/albums/00000000-0001-7000-8000-${String(n).padStart(12, "0")}`,
    );
    const { answers, read } = await askTogether("albums", paths, endpoint);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(asked);
    expect(read.keys).toBe(asked);
    expect(read.statements).toBeLessThan(statementsMax);
  },
);
