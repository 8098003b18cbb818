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
  system = await startSystem({ BASE_PATHS: "/ski_war" });
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
const ride = (more: object = {}) =>
  JSON.stringify({ resortID: "silverMt", dayID: "1", skierID: "2", time: "408", liftID: "27", ...more });
const idOf = (answer: Awaited<ReturnType<typeof post>>) => answer.headers.get("tally-event-id");

describe("what real clients send, on one kept-alive connection", () => {
  test("a ride is answered 201 and nothing else, and is in the day's top ten then", async () => {
    const answer = await post("/skiers/liftrides", ride({ resortID: "first" }));
    expect([answer.status, answer.body]).toEqual([201, ""]);
    await eventually(async () =>
      expect((await get("/resort/day/top10vert?resort=first&dayID=1")).body).toBe(
        '{"topTenSkiers":[{"skierID":"2","VertcialTotal":270}]}',
      ),
    );
  });

  test.each([
    ["a trailing slash", "/skiers/liftrides/", ride({ resortID: "same" })],
    ["double slashes", "//skiers//liftrides", ride({ resortID: "same" })],
    ["a base path", "/ski_war/skiers/liftrides", ride({ resortID: "same" })],
    ["a base path behind a double slash", "//ski_war/skiers/liftrides/", ride({ resortID: "same" })],
    ["the next version, of season 0", "/skiers/same/seasons/0/days/1/skiers/2", '{"time":408,"liftID":27}'],
    [
      "the next version below a base path",
      "/ski_war/skiers/same/seasons/00/days/01/skiers/2/",
      '{"time":"408","liftID":"27"}',
    ],
  ])("%s leads to the same ride", async (_what, path, body) => {
    const answer = await post(path, body);
    const same = await post("/skiers/liftrides", ride({ resortID: "same" }));
    expect([answer.status, idOf(answer)]).toEqual([201, idOf(same)]);
  });

  test("no Content-Type at all is JSON", async () => {
    expect((await post("/skiers/liftrides", ride(), [])).status).toBe(201);
    const next = "/skiers/silverMt/seasons/2019/days/1/skiers/2";
    expect((await post(next, '{"time":217,"liftID":21}', upgrade)).status).toBe(201);
  });

  test("h2c upgrade headers are answered as HTTP/1.1, and the connection is kept", async () => {
    const json = ["Content-Type: application/json", ...upgrade];
    expect((await post("/skiers/liftrides", ride(), json)).status).toBe(201);
    expect((await get("/skiers/silverMt/days/1/skiers/2", upgrade)).status).toBe(200);
    expect((await get("/skiers/2/vertical?resort=silverMt", upgrade)).status).toBe(200);
  });

  test("a GET with a Content-Type and no body is answered as usual", async () => {
    for (const path of ["/skiers/silverMt/days/1/skiers/2", "/resort/day/top10vert?resort=silverMt&dayID=1"]) {
      expect((await get(path, ["Content-Type: application/json"])).status).toBe(200);
      expect((await get(path, ["Content-Type: application/json", "Content-Length: 0"])).status).toBe(200);
    }
  });

  test("every value comes as a text or as a number, and is the same", async () => {
    const texts = await post("/skiers/liftrides", ride({ resortID: "5", skierID: "007" }));
    const numbers = await post("/skiers/liftrides", ride({ resortID: 5, dayID: 1, skierID: 7, time: 408, liftID: 27 }));
    expect(texts.status).toBe(201);
    expect(idOf(numbers)).toBe(idOf(texts));
  });

  test("a resort may have any printable name", async () => {
    const answer = await post("/skiers/liftrides", ride({ resortID: "Zürich: Üetliberg 🎿" }));
    expect(answer.status).toBe(201);
    const resort = encodeURIComponent("Zürich: Üetliberg 🎿");
    await eventually(async () => {
      expect(await read(`/skiers/${resort}/days/1/skiers/2`)).toMatchObject({ totalVert: 270 });
      expect(await read(`/resort/day/top10vert?resort=${resort}&dayID=1`)).toMatchObject({
        topTenSkiers: [{ skierID: "2", VertcialTotal: 270 }],
      });
    });
  });
});

describe("the same resort, season, day, skier, time and lift twice is one ride", () => {
  test("whatever Idempotency-Key it comes with, together or apart; another lift or minute is another", async () => {
    const withKey = (key: string) => ["Content-Type: application/json", `Idempotency-Key: ${key}`];
    const body = ride({ resortID: "once", liftID: 10 });
    const answers = [await post("/skiers/liftrides", body), await post("/skiers/liftrides", body, withKey("a"))];
    answers.push(await post("/skiers/liftrides", body, withKey("b")));
    const [id, ...same] = answers.map(idOf);
    expect(same).toEqual([id, id]);
    const others = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${system.url}/skiers/liftrides`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        }),
      ),
    );
    expect(others.map(({ headers }) => headers.get("tally-event-id"))).toEqual(others.map(() => id));
    await post("/skiers/liftrides", ride({ resortID: "once", liftID: 1 }));
    await post("/skiers/liftrides", ride({ resortID: "once", liftID: 10, time: 409 }));
    await eventually(async () =>
      expect(await read("/resort/day/top10vert?resort=once&dayID=1")).toEqual({
        topTenSkiers: [{ skierID: "2", VertcialTotal: 210 }],
      }),
    );
    await eventually(async () =>
      expect(await read("/skiers/2/vertical?resort=once")).toMatchObject({ totalVert: 210 }),
    );
  });
});

describe("verticals", () => {
  beforeAll(async () => {
    for (const [season, day, skier, time, lift] of [
      [0, 1, 30, 1, 5],
      [0, 1, 30, 2, 7],
      [0, 2, 30, 1, 11],
      [2019, 1, 30, 1, 13],
      [2019, 3, 30, 1, 17],
      [2019, 3, 31, 0, 39],
      [2019, 3, 31, 1440, 0],
    ]) {
      const answer = await post(
        `/skiers/sums/seasons/${season}/days/${day}/skiers/${skier}`,
        JSON.stringify({ time, liftID: lift }),
      );
      expect(answer.status).toBe(201);
    }
  });

  test.each([
    ["a day without a season", "/skiers/sums/days/1/skiers/30", { resortID: "sums", totalVert: 120 }],
    ["another day", "/skiers/sums/days/2/skiers/30", { resortID: "sums", totalVert: 110 }],
    ["a day of a season", "/skiers/sums/seasons/2019/days/3/skiers/30", 170],
    ["rides in the first and the last minute, and on lift 0", "/skiers/sums/seasons/2019/days/3/skiers/31", 390],
    ["all days of all seasons", "/skiers/30/vertical?resort=sums", { resortID: "sums", totalVert: 530 }],
    ["a season", "/skiers/30/vertical?resort=sums&season=2019", { resortID: "sums", totalVert: 300 }],
    ["nobody", "/skiers/99/vertical?resort=sums", { resortID: "sums", totalVert: 0 }],
    ["no day", "/skiers/sums/days/9/skiers/30", { resortID: "sums", totalVert: 0 }],
    ["no day of a season", "/skiers/sums/seasons/2019/days/9/skiers/30", 0],
    ["below a base path", "/ski_war/skiers/sums/days/2/skiers/30/", { resortID: "sums", totalVert: 110 }],
    ["behind double slashes", "//ski_war//skiers/30//vertical/?resort=sums", { resortID: "sums", totalVert: 530 }],
    ["a season's day below a base path", "/ski_war/skiers/sums/seasons/2019/days/3/skiers/30", 170],
    ["another resort", "/skiers/Sums/days/1/skiers/30", { resortID: "Sums", totalVert: 0 }],
  ])("%s", async (_what, path, expected) => {
    await eventually(async () => expect(await read(path)).toEqual(expected));
  });

  test("the top of a day has ten skiers, equal verticals by the smaller id; an unknown day has none", async () => {
    for (let skier = 1; skier <= 12; skier++) {
      await post("/skiers/liftrides", ride({ resortID: "top", skierID: skier * 9, liftID: skier <= 2 ? 50 : skier }));
    }
    const expected = [9, 18, 108, 99, 90, 81, 72, 63, 54, 45];
    await eventually(async () => {
      const { topTenSkiers } = JSON.parse((await get("/resort/day/top10vert?resort=top&dayID=1")).body);
      expect(topTenSkiers.map(({ skierID }: { skierID: string }) => skierID)).toEqual(expected.map(String));
    });
    expect(await read("/resort/day/top10vert?resort=top&dayID=2")).toEqual({ topTenSkiers: [] });
    await eventually(async () =>
      expect(await read("/resort/day/top10vert?resort=sums&dayID=3&season=2019")).toEqual({
        topTenSkiers: [
          { skierID: "31", VertcialTotal: 390 },
          { skierID: "30", VertcialTotal: 170 },
        ],
      }),
    );
  });
});

describe("bad input gets a clear 400 that names the field", () => {
  test.each([
    ["an empty body", "", /^body: expected an object with resortID/],
    ["no time", JSON.stringify({ resortID: "a", dayID: 1, skierID: 1, liftID: 1 }), /^time: expected .* got nothing/],
    ["a minute beyond the day", ride({ time: 1441 }), /^time: expected an integer from 0 to 1440, got 1441/],
    ["the same as a text", ride({ time: "1441" }), /^time: expected an integer from 0 to 1440, got "1441"/],
    ["a negative skier", ride({ skierID: "-1" }), /^skierID: /],
    ["a skier beyond 2^53", ride({ skierID: "9007199254740992" }), /^skierID: /],
    ["a lift that is a fraction", ride({ liftID: 1.5 }), /^liftID: /],
    ["a lift that is a list", ride({ liftID: [3] }), /^liftID: /],
    ["true as a day", ride({ dayID: true }), /^dayID: /],
    ["an empty resort", ride({ resortID: "" }), /^resortID: expected a resort/],
    ["a resort that ends with a space", ride({ resortID: "a " }), /^resortID: /],
    ["a resort with a line break", ride({ resortID: "a\nb" }), /^resortID: /],
    ["half a character", ride({ resortID: "a\ud800" }), /^resortID: /],
    ["a field too many", ride({ speed: 5 }), /^speed: expected no such field/],
  ])("%s", async (_what, body, message) => {
    const answer = await post("/skiers/liftrides", body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(message);
  });

  test.each([
    ["a/seasons/x/days/1", { time: 1, liftID: 1 }, /^seasonID: expected an integer from 0 to 65535, got "x"/],
    ["a/seasons/65536/days/1", { time: 1, liftID: 1 }, /^seasonID: /],
    ["a/seasons/1/days/-1", { time: 1, liftID: 1 }, /^dayID: /],
    ["%20/seasons/1/days/1", { time: 1, liftID: 1 }, /^resortID: /],
    ["a/seasons/1/days/1", { liftID: 1 }, /^time: .*got nothing/],
    ["a/seasons/1/days/1", { time: "1441", liftID: 1 }, /^time: expected an integer from 0 to 1440, got "1441"/],
    ["a/seasons/1/days/1", { time: 1, liftID: "x" }, /^liftID: /],
    ["a/seasons/1/days/1", undefined, /^body: expected an object with time and liftID/],
  ])("of the next version: /skiers/%s %j", async (path, body, message) => {
    const answer = await post(`/skiers/${path}/skiers/1`, JSON.stringify(body) ?? "");
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(message);
  });

  test.each([
    ["/skiers/1/vertical", /^resort: expected a resort/],
    ["/skiers/x/vertical?resort=a", /^skierID: /],
    ["/skiers/1/vertical?resort=a&season=65536", /^season: expected an integer from 0 to 65535/],
    ["/skiers/a/days/x/skiers/1", /^dayID: /],
    ["/resort/day/top10vert?resort=a", /^dayID: /],
    ["/resort/day/top10vert?dayID=1", /^resort: /],
  ])("%s", async (path, message) => {
    const answer = await get(path);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toMatch(message);
  });
});

// The last: everything above has been posted.
test("every acknowledged ride is stored once and ranked, the boards equal the rows, and the connection was never closed", async () => {
  const rides = new Set(acknowledged).size;
  expect(await auditOf(system, "liftrides", acknowledged)).toMatchObject({
    agrees: true,
    audit: { acknowledged: rides, stored: rides, ranked: rides, lost: 0, doubled: 0, unacknowledged: 0 },
  });
  const database = openDatabase(system);
  try {
    const sums = `
      SELECT CONCAT('day:', season, ':', day, ':', resort) AS board, skier_id AS member, SUM(lift_id) * 10 AS count
      FROM lift_rides GROUP BY season, day, resort, skier_id HAVING SUM(lift_id) > 0`;
    const cells = await cellsOfRows(database, sums);
    expect(cells.length).toBeGreaterThan(20);
    expect(await cellsOfBoards(system, "liftrides")).toEqual(cells);
  } finally {
    await database.close();
  }
  expect(connection.closed).toBe(false);
});
