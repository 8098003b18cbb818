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
  system = await startSystem({ BASE_PATHS: "assignment-java-server_war,/steps" });
  connection = new RawConnection(system.url);
});
afterAll(async () => {
  connection.end();
  await system.stop();
});

const base = "/assignment-java-server_war";
const post = async (path: string, body: string | Buffer = "", headers: readonly string[] = []) => {
  const answer = await connection.post(path, body, headers);
  if (answer.status === 200) acknowledged.push(answer.headers.get("tally-event-id") ?? "");
  return answer;
};
const get: RawConnection["get"] = (...request) => connection.get(...request);
const textOf = async (path: string) => (await get(path)).body;

describe("what real clients send, on one kept-alive connection", () => {
  test("steps are answered 200 with plain text, and are in the user's sum then", async () => {
    const answer = await post("/steps/1/1/8/500");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    await eventually(async () => expect(await textOf("/steps/current/1")).toBe("500"));
    expect((await get("/steps/current/1")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await get("/steps/single/1/1")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await get("/steps/range/1/1/3")).headers.get("content-type")).toMatch(/^application\/json/);
  });

  test("the body may be empty or anything, of any type or none", async () => {
    for (const [body, ...headers] of [
      [""],
      ["", "Content-Type: application/json"],
      ["", "Content-Type: text/plain"],
      ["some text"],
      ["some text", "Content-Type: text/plain"],
      ["some text", "Content-Type: text"],
      ["some text", "Content-Type: "],
      ["{no JSON", "Content-Type: application/json"],
      ["a=1", "Content-Type: application/x-www-form-urlencoded"],
      [Buffer.from([0xff, 0, 0xfe]), "Content-Type: application/octet-stream"],
    ] as const) {
      expect([body, (await post("/steps/2/1/8/1", body, headers)).status]).toEqual([body, 200]);
    }
    const none = await connection.send(["POST /steps/2/1/8/1 HTTP/1.1", "Host: tally", "Content-Type: text/plain"]);
    expect(none.status).toBe(200);
    acknowledged.push(none.headers.get("tally-event-id") ?? "");
    await eventually(async () => expect(await textOf("/steps/single/2/1")).toBe("11"));
  });

  test.each([
    ["a trailing slash", "/steps/3/1/8/1/"],
    ["double slashes", "//steps//3/1//8/1"],
    ["leading zeros", "/steps/03/01/08/0001"],
    ["a base path", `${base}/steps/3/1/8/1`],
    ["a base path alone", `${base}/3/1/8/1`],
    ["a base path behind and before double slashes", `/${base}//3/1/8/1/`],
  ])("%s leads to the same route", async (_what, path) => {
    expect((await post(path)).status).toBe(200);
  });

  test("below a base path every question has its short path too", async () => {
    await eventually(async () => {
      expect(await textOf(`${base}/current/3`)).toBe("6");
      expect(await textOf(`${base}/single/3/1/`)).toBe("6");
      expect(await textOf(`/${base}//range/3/1/2`)).toBe("[6,0]");
      expect(await textOf(`${base}/steps/current/3`)).toBe("6");
    });
  });

  test("h2c upgrade headers are answered as HTTP/1.1, and the connection is kept", async () => {
    expect((await post("/steps/4/1/8/1", "", upgrade)).status).toBe(200);
    expect((await get("/steps/current/4", upgrade)).status).toBe(200);
    expect((await get("/steps/range/4/1/1", upgrade)).status).toBe(200);
  });

  test("a GET with a Content-Type and no body is answered as usual", async () => {
    expect((await get("/steps/single/4/1", ["Content-Type: application/json"])).status).toBe(200);
    expect((await get("/steps/single/4/1", ["Content-Type: application/json", "Content-Length: 0"])).status).toBe(200);
  });
});

test("a base path that is the root's own path is none the worse: both lead to the same", async () => {
  for (const path of ["/steps/41/1/8/1", "/steps/steps/41/1/8/2"])
    expect([path, (await post(path)).status]).toEqual([path, 200]);
  await eventually(async () => {
    for (const path of ["/steps/current/41", "/steps/steps/current/41", `${base}/current/41`])
      expect([path, await textOf(path)]).toEqual([path, "3"]);
  });
});

test("a root that is a base path has the short paths too, and all that it had", async () => {
  const own = await startSystem({ BASE_PATHS: "/" });
  const there = new RawConnection(own.url);
  try {
    for (const path of ["/5/1/8/1", "//5//1/8/2/", "/steps/5/1/8/4"])
      expect([path, (await there.post(path, "", [])).status]).toEqual([path, 200]);
    await eventually(async () => {
      for (const path of ["/current/5", "/single/5/1/", "/steps/current/5"])
        expect([path, (await there.get(path)).body]).toEqual([path, "7"]);
    });
    expect((await there.get("/range/5/1/2")).body).toBe("[7,0]");
    for (const path of ["/stats/5", "/items/top5/5", "/skiers/5/vertical?resort=a", "/albums/top", "/steps/top?day=1"])
      expect([path, (await there.get(path)).status]).toEqual([path, 200]);
  } finally {
    there.end();
    await own.stop();
  }
});

test("a path that leads nowhere is 404, whatever is sent there", async () => {
  for (const [path, body, ...headers] of [
    ["/steps/1/1/8/1/1", "some text", "Content-Type: text/plain"],
    ["/nowhere", "{no JSON", "Content-Type: application/json"],
    ["/swipe", "{no JSON"],
  ] as const) {
    const answer = await connection.post(path, body, headers);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([404, { message: `no such path: POST ${path}` }]);
  }
});

test("the short paths are at no root that is no base path, and leave every other domain's paths alone", async () => {
  expect((await connection.post("/3/1/8/1", "", [])).status).toBe(404);
  expect((await get("/current/3")).status).toBe(404);
  const json = ["Content-Type: application/json"];
  const sale = await connection.post(
    `${base}/purchase/1/customer/1/date/20261120`,
    '{"items":[{"ItemID":1,"numberOfItems":1}]}',
    json,
  );
  const ride = await connection.post(
    `${base}/skiers/liftrides`,
    '{"resortID":"a","dayID":1,"skierID":1,"time":1,"liftID":1}',
    json,
  );
  expect([sale.status, ride.status]).toEqual([201, 201]);
  // Static words win: neither is the steps of a user of that name.
  expect(JSON.parse((await get(`${base}/items/top5/1`)).body)).toHaveProperty("stores");
  expect((await get(`${base}/steps/top?day=1`)).status).toBe(200);
  const noUser = await connection.post(`${base}/steps/1/8/1`, "", []);
  expect([noUser.status, JSON.parse(noUser.body).message]).toEqual([
    400,
    expect.stringMatching(/^userID: .*got "steps"/),
  ]);
});

describe("sums", () => {
  beforeAll(async () => {
    for (const [user, day, hour, count] of [
      [10, 1, 0, 100],
      [10, 1, 23, 11],
      [10, 3, 5, 100_000],
      [10, 3, 5, 1],
      [10, 2, 5, 7],
      [11, 1, 5, 0],
    ]) {
      expect((await post(`/steps/${user}/${day}/${hour}/${count}`)).status).toBe(200);
    }
  });

  test.each([
    ["a day", "/steps/single/10/1", "111"],
    ["posts of one hour add up", "/steps/single/10/3", "100001"],
    ["the most recent day, not the last that was posted", "/steps/current/10", "100001"],
    ["days in a row, 0 where there is none", "/steps/range/10/1/5", "[111,7,100001,0,0]"],
    ["from the middle", "/steps/range/10/2/1", "[7]"],
    ["no days", "/steps/range/10/2/0", "[]"],
    ["a day without steps", "/steps/single/10/9", "0"],
    ["a user without steps", "/steps/current/999999", "0"],
    ["a user who took none", "/steps/current/11", "0"],
    ["the days of nobody", "/steps/range/999999/1/2", "[0,0]"],
  ])("%s", async (_what, path, expected) => {
    await eventually(async () => {
      const { status, body } = await get(path);
      expect([status, body]).toEqual([200, expected]);
    });
  });

  test("the same Idempotency-Key of a user is one post", async () => {
    const key = ["Idempotency-Key: hour-5"];
    const answers = [await post("/steps/12/1/5/50", "", key), await post("/steps/12/1/5/50", "", key)];
    answers.push(await post("/steps/13/1/5/50", "", key));
    expect(new Set(answers.map(({ headers }) => headers.get("tally-event-id"))).size).toBe(2);
    await post("/steps/12/1/6/3");
    await eventually(async () => expect(await textOf("/steps/current/12")).toBe("53"));
  });

  test("the ranking of a day: most steps first, equal ones by the smaller user; an unknown day is empty", async () => {
    for (const [user, count] of [
      [9, 5],
      [100, 5],
      [20, 7],
      [21, 0],
    ]) {
      await post(`/steps/${user}/77/1/${count}`);
    }
    const top = async (path: string) => JSON.parse(await textOf(path));
    await eventually(async () => {
      expect(await top("/steps/top?day=77")).toEqual({
        day: 77,
        asOf: expect.stringMatching(/^20/),
        users: [
          { userID: 20, steps: 7 },
          { userID: 9, steps: 5 },
          { userID: 100, steps: 5 },
        ],
      });
    });
    expect((await top("/steps/top?day=77&limit=1")).users).toEqual([{ userID: 20, steps: 7 }]);
    expect((await top("/steps/top?day=78")).users).toEqual([]);
  });
});

test.each([
  ["POST", "/steps/-1/1/1/1", /^userID: expected an integer from 0/],
  ["POST", "/steps/1/0/1/1", /^day: expected an integer from 1 to 4294967295, got "0"/],
  ["POST", "/steps/1/4294967296/1/1", /^day: /],
  ["POST", "/steps/1/1/24/1", /^timeInterval: expected an integer from 0 to 23, got "24"/],
  ["POST", "/steps/1/1/x/1", /^timeInterval: /],
  ["POST", "/steps/1/1/1/100001", /^stepCount: expected an integer from 0 to 100000, got "100001"/],
  ["POST", "/steps/1/1/1/1.5", /^stepCount: /],
  ["GET", "/steps/current/x", /^userID: /],
  ["GET", "/steps/single/1/0", /^day: /],
  ["GET", "/steps/range/1/0/1", /^startDay: /],
  ["GET", "/steps/range/1/1/10001", /^numDays: expected an integer from 0 to 10000/],
  ["GET", "/steps/top", /^day: /],
  ["GET", "/steps/top?day=1&limit=0", /^limit: /],
])("bad input gets a clear 400 in JSON: %s %s", async (method, path, message) => {
  const answer = await (method === "GET" ? get(path) : connection.post(path, "any text", []));
  expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/json; charset=utf-8"]);
  expect(JSON.parse(answer.body).message).toMatch(message);
});

// The last: everything above has been posted.
test("every acknowledged post is stored once and ranked, the boards equal the rows, and the connection was never closed", async () => {
  const posts = new Set(acknowledged).size;
  expect(await auditOf(system, "steps", acknowledged)).toMatchObject({
    agrees: true,
    audit: { acknowledged: posts, stored: posts, ranked: posts, lost: 0, doubled: 0, unacknowledged: 0 },
  });
  const database = openDatabase(system);
  try {
    const sums = `
      SELECT CONCAT('day:', day) AS board, user_id AS member, SUM(steps) AS count
      FROM steps GROUP BY day, user_id HAVING SUM(steps) > 0`;
    const cells = await cellsOfRows(database, sums);
    expect(cells.length).toBeGreaterThan(8);
    expect(await cellsOfBoards(system, "steps")).toEqual(cells);
  } finally {
    await database.close();
  }
  expect(connection.closed).toBe(false);
});
