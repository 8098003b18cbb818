import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { auditOf } from "./audit-of.ts";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";
import { RawConnection, upgrade } from "./raw-http.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

let system: TestSystem;
let connection: RawConnection;
const acknowledged: string[] = [];

// A machine that does something else besides may take its time.
const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, 10_000);

beforeAll(async () => {
  system = await startSystem({ BASE_PATHS: "/twinder_war" });
  connection = new RawConnection(system.url);
});
afterAll(async () => {
  connection.end();
  await system.stop();
});

const post: RawConnection["post"] = async (...request) => {
  const answer = await connection.post(...request);
  if (answer.status === 201) acknowledged.push(answer.headers.get("tally-event-id") ?? "");
  return answer;
};
const get: RawConnection["get"] = (...request) => connection.get(...request);
const read = async (path: string): Promise<unknown> => JSON.parse((await get(path)).body);
const swipe = (swiper: string | number, swipee: string | number, comment = "you are not my type") =>
  JSON.stringify({ swiper, swipee, comment });
const likesOf = async (user: number): Promise<number> => {
  const cells = (await cellsOfBoards(system, "swipes")).map((cell) => cell.split(" "));
  return Number(cells.find(([, member]) => member === String(user))?.[2] ?? 0);
};

describe("what real clients send, on one kept-alive connection", () => {
  test("a swipe is answered 201 and nothing else, and is a like then", async () => {
    const answer = await post("/swipe/right", swipe("1", "2"));
    expect([answer.status, answer.body]).toEqual([201, ""]);
    await eventually(async () => {
      expect(await read("/matches/1")).toEqual({ matchList: ["2"] });
      expect(await read("/swipes/top")).toMatchObject({ users: [{ userID: "2", likes: 1 }] });
    });
  });

  test.each([
    ["a trailing slash", "/swipe/left/", swipe(3, 31)],
    ["double slashes", "//swipe//left", swipe(3, 32)],
    ["a base path", "/twinder_war/swipe/left", swipe(3, 33)],
    ["a base path behind a double slash", "//twinder_war/swipe/left/", swipe(3, 34)],
    ["numbers for strings", "/swipe/left", '{"swiper":3,"swipee":35,"comment":""}'],
    ["leading zeros", "/swipe/left", swipe("03", "0036")],
    ["no comment", "/swipe/left", '{"swiper":"3","swipee":"37"}'],
    ["a comment of 256 characters that are more bytes and units", "/swipe/left", swipe(3, 38, "🎿".repeat(256))],
    ["every sign", "/swipe/left", swipe(3, 39, "'\"\\\n\u0001%_`;-- ü")],
    ["a user who swipes himself", "/swipe/left", swipe(3, 3)],
    ["large ids", "/swipe/left", swipe(3, "9007199254740991")],
  ])("%s is a swipe", async (_what, path, body) => {
    expect((await post(path, body)).status).toBe(201);
  });

  test("all of them count, each once", async () => {
    const expected = { numLlikes: 0, numLikes: 0, numDislikes: 11 };
    await eventually(async () => {
      for (const path of ["/stats/3", "/stats/03/", "//stats//3", "/twinder_war/stats/3"]) {
        expect(await read(path)).toEqual(expected);
      }
    });
  });

  test("no Content-Type at all is JSON", async () => {
    expect((await post("/swipe/right", swipe(4, 2), [])).status).toBe(201);
  });

  test("h2c upgrade headers are answered as HTTP/1.1, and the connection is kept", async () => {
    expect((await post("/swipe/right", swipe(4, 5), ["Content-Type: application/json", ...upgrade])).status).toBe(201);
    expect((await get("/matches/4", upgrade)).status).toBe(200);
    expect((await get("/stats/4", upgrade)).status).toBe(200);
  });

  test("a GET with a Content-Type and no body is answered as usual", async () => {
    expect((await get("/matches/4", ["Content-Type: application/json"])).status).toBe(200);
    expect((await get("/stats/4", ["Content-Type: application/json", "Content-Length: 0"])).status).toBe(200);
  });
});

describe("matches and stats", () => {
  test("whom a user likes, at most 100, the smallest ids first; whom he dislikes not", async () => {
    for (let swipee = 1000; swipee < 1105; swipee++) await post("/swipe/right", swipe(6, swipee));
    await post("/swipe/left", swipe(6, 999));
    await eventually(async () => {
      expect(await read("/stats/6")).toEqual({ numLlikes: 105, numLikes: 105, numDislikes: 1 });
      const ids = Array.from({ length: 100 }, (_, index) => String(1000 + index));
      expect(await read("/matches/6")).toEqual({ matchList: ids });
    });
  });

  test("mutual: who likes the user too, and nobody else", async () => {
    for (const [from, to, direction] of [
      [7, 71, "right"],
      [7, 72, "right"],
      [7, 73, "right"],
      [7, 74, "left"],
      [71, 7, "right"],
      [72, 7, "left"],
      [74, 7, "right"],
      [75, 7, "right"],
    ] as const) {
      await post(`/swipe/${direction}`, swipe(from, to));
    }
    await eventually(async () => {
      expect(await read("/matches/7")).toEqual({ matchList: ["71", "72", "73"] });
      expect(await read("/matches/7?mutual=false")).toEqual({ matchList: ["71", "72", "73"] });
      expect(await read("/matches/7?mutual=true")).toEqual({ matchList: ["71"] });
      expect(await read("/matches/75?mutual=true")).toEqual({ matchList: [] });
    });
  });

  test("nobody has swiped nobody", async () => {
    expect(await read("/matches/999999")).toEqual({ matchList: [] });
    expect(await read("/stats/999999")).toEqual({ numLlikes: 0, numLikes: 0, numDislikes: 0 });
  });
});

describe("a user who swipes the same person again changes the earlier swipe", () => {
  test.each([
    ["right, left: the like is taken back", 80, ["right", "left"], 0],
    ["left, right: it counts", 81, ["left", "right"], 1],
    ["right, left, right: it counts once", 82, ["right", "left", "right"], 1],
    ["right, right: it counts once", 83, ["right", "right"], 1],
  ] as const)("%s", async (_what, swipee, directions, likes) => {
    for (const direction of directions) await post(`/swipe/${direction}`, swipe(8, swipee));
    // Later than all, so that nothing is under way any more.
    await post("/swipe/right", swipe(8, swipee + 9000));
    await eventually(async () => {
      expect(await likesOf(swipee + 9000)).toBe(1);
      expect(await likesOf(swipee)).toBe(likes);
      const { matchList } = JSON.parse((await get("/matches/8")).body);
      expect(matchList.includes(String(swipee))).toBe(likes === 1);
    });
  });

  test("stats count the newest of each", async () => {
    await eventually(async () => expect(await read("/stats/8")).toEqual({ numLlikes: 7, numLikes: 7, numDislikes: 1 }));
  });

  test("an Idempotency-Key is one swipe of its swiper: sent again after a newer swipe it changes nothing", async () => {
    const key = ["Content-Type: application/json", "Idempotency-Key: first"];
    const right = await post("/swipe/right", swipe(9, 90), key);
    await post("/swipe/left", swipe(9, 90));
    const again = await post("/swipe/right", swipe(9, 90), key);
    const other = await post("/swipe/right", swipe(10, 91), key);
    expect(again.headers.get("tally-event-id")).toBe(right.headers.get("tally-event-id"));
    expect(other.headers.get("tally-event-id")).not.toBe(right.headers.get("tally-event-id"));
    await eventually(async () => {
      expect(await likesOf(91)).toBe(1);
      expect(await read("/stats/9")).toEqual({ numLlikes: 0, numLikes: 0, numDislikes: 1 });
    });
  });
});

test("most liked first, equal likes by the smaller id", async () => {
  for (const [swipee, likes] of [
    [500, 5],
    [600, 6],
    [77, 5],
  ] as const) {
    for (let swiper = 20; swiper < 20 + likes; swiper++) await post("/swipe/right", swipe(swiper, swipee));
  }
  await eventually(async () => {
    expect(await read("/swipes/top?limit=3")).toEqual({
      asOf: expect.stringMatching(/^20/),
      users: [
        { userID: "600", likes: 6 },
        { userID: "77", likes: 5 },
        { userID: "500", likes: 5 },
      ],
    });
  });
});

describe("bad input gets a clear 400 that names the field", () => {
  test.each([
    ["/swipe/up", swipe(1, 2), /^leftorright: expected left or right, got "up"/],
    ["/swipe/Left", swipe(1, 2), /^leftorright: /],
    ["/swipe/left", "", /^body: expected an object with swiper/],
    ["/swipe/left", '{"swipee":"1"}', /^swiper: expected an integer from 0 .* got nothing/],
    ["/swipe/left", '{"swiper":"1"}', /^swipee: /],
    ["/swipe/left", swipe("abc", 1), /^swiper: .*got "abc"/],
    ["/swipe/left", swipe(-1, 1), /^swiper: /],
    ["/swipe/left", swipe(1, "9007199254740992"), /^swipee: /],
    ["/swipe/left", swipe(1, 2, "x".repeat(257)), /^comment: expected a text of at most 256 characters/],
    ["/swipe/left", '{"swiper":"1","swipee":"2","comment":5}', /^comment: /],
    ["/swipe/left", '{"swiper":"1","swipee":"2","comment":"half a \\ud83c"}', /^comment: expected a text/],
    ["/swipe/left", '{"swiper":"1","swipee":"2","super":true}', /^super: expected no such field/],
  ])("%s %s", async (path, body, message) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(message);
  });

  test.each([
    ["/matches/abc", /^userID: /],
    ["/matches/1?mutual=1", /^mutual: expected true or false/],
    ["/stats/-1", /^userID: /],
    ["/swipes/top?limit=0", /^limit: /],
  ])("%s", async (path, message) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(message);
  });
});

// The last: everything above has been posted.
test("every acknowledged swipe is stored once and ranked, the board equals the rows, and the connection was never closed", async () => {
  const swipes = new Set(acknowledged).size;
  expect(await auditOf(system, "swipes", acknowledged)).toMatchObject({
    agrees: true,
    audit: { acknowledged: swipes, stored: swipes, ranked: swipes, lost: 0, doubled: 0, unacknowledged: 0 },
  });
  const database = openDatabase(system);
  try {
    const sums = `
      SELECT 'likes' AS board, swipee AS member, COUNT(*) AS count FROM swipe_pairs WHERE liked = 1 GROUP BY swipee`;
    const cells = await cellsOfRows(database, sums);
    expect(cells.length).toBeGreaterThan(100);
    expect(await cellsOfBoards(system, "swipes")).toEqual(cells);
  } finally {
    await database.close();
  }
  expect(connection.closed).toBe(false);
});
