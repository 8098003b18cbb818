import { expect } from "vitest";
import { asks, get, inTurn, json, ok, post, stores, type HttpCase } from "../http/http-case.ts";
import { upgrade } from "../http/raw-connection.ts";
import { steps, stepsAccepted, stepsPath } from "../http/sample-requests.ts";

type Post = readonly [day: number, hour: number, count: number];
const posted = (user: number, [day, hour, count]: Post): Buffer =>
  post(`/steps/${user}/${day}/${hour}/${count}`, "", []);
const row = (user: number, [day, hour, count]: Post) => steps(user, { day, hour, steps: count });

const bodies: readonly (readonly [body: string | Buffer, ...headers: readonly string[]])[] = [
  [""],
  ["", json],
  ["", "Content-Type: text/plain"],
  ["some text"],
  ["some text", "Content-Type: text/plain"],
  ["some text", "Content-Type: text"],
  ["some text", "Content-Type: "],
  ["{no JSON", json],
  ["a=1", "Content-Type: application/x-www-form-urlencoded"],
  [Buffer.from([0xff, 0, 0xfe]), "Content-Type: application/octet-stream"],
  ["", ...upgrade],
];

const sums: readonly Post[] = [
  [1, 0, 100],
  [1, 23, 11],
  [3, 5, 100_000],
  [3, 5, 1],
  [2, 5, 7],
];

/** POST /steps and the sums of a user. */
export const stepCounts: readonly HttpCase[] = [
  ...bodies.map(([body, ...headers], index) =>
    stores(
      `the body ${index} (${String(body).slice(0, 10)}, ${headers[0] ?? "no header"}) is ignored`,
      (n) => post(stepsPath(n), body, headers),
      { ...stepsAccepted, headers: { "content-type": /^text\/plain; charset=utf-8$/ } },
      steps,
    ),
  ),
  stores("numbers may have leading zeros", (n) => post(`/steps/0${n}/03/14/0250`, "", []), stepsAccepted, steps),
  stores(
    "posts of one hour add up; the current day is the latest, not the last posted; days without steps are 0",
    (n) => inTurn(...sums.map((one) => posted(n, one))),
    sums.map(() => stepsAccepted),
    (n) => sums.map((one) => row(n, one)),
    {
      reads: (n) => [
        [`/steps/single/${n}/1`, "111"],
        [`/steps/single/${n}/3`, "100001"],
        [`/steps/current/${n}`, "100001"],
        [`/steps/range/${n}/1/5`, "[111,7,100001,0,0]"],
        [`/steps/range/${n}/2/1`, "[7]"],
        [`/steps/range/${n}/2/0`, "[]"],
        [`/steps/single/${n}/9`, "0"],
        [`/shop_war/current/${n}`, "100001"],
        [`/shop_war/single/${n}/1/`, "111"],
        [`//shop_war//range/${n}/1/2`, "[111,7]"],
        [`/shop_war/steps/current/${n}`, "100001"],
        [`/steps/steps/current/${n}`, "100001"],
      ],
    },
  ),
  stores(
    "a user whose steps are 0 has the sum 0",
    (n) => posted(n, [1, 5, 0]),
    stepsAccepted,
    (n) => row(n, [1, 5, 0]),
    {
      reads: (n) => [[`/steps/current/${n}`, "0"]],
    },
  ),
  asks("a user without steps has the sum 0", () => get("/steps/current/999999999"), ok(200, "0")),
  asks("a range of a user without steps is zeros", () => get("/steps/range/999999999/1/2"), {
    ...ok(200, "[0,0]"),
    headers: { "content-type": /^application\/json/ },
  }),
  ...["current/1", "single/1/1"].map((path) =>
    asks(`GET /steps/${path} is plain text`, () => get(`/steps/${path}`, [json, "Content-Length: 0"]), {
      ...ok(200),
      headers: { "content-type": /^text\/plain; charset=utf-8$/ },
    }),
  ),
  stores(
    "an Idempotency-Key is one post of its user",
    (n) => {
      const keyedPost = (user: number) => post(stepsPath(user), "", ["Idempotency-Key: hour-5"]);
      return inTurn(keyedPost(n), keyedPost(n), keyedPost(n + 500_000), posted(n, [3, 15, 3]));
    },
    [stepsAccepted, stepsAccepted, stepsAccepted, stepsAccepted],
    (n) => [steps(n), steps(n), steps(n + 500_000), row(n, [3, 15, 3])],
    { reads: (n) => [[`/steps/current/${n}`, "253"]] },
  ),
  stores(
    "the ranking of a day: most steps first, ties by the smaller user, no user without steps; an unknown day is empty",
    (n) => inTurn(posted(9, [n, 1, 5]), posted(100, [n, 1, 5]), posted(20, [n, 1, 7]), posted(21, [n, 1, 0])),
    [stepsAccepted, stepsAccepted, stepsAccepted, stepsAccepted],
    (n) => [row(9, [n, 1, 5]), row(100, [n, 1, 5]), row(20, [n, 1, 7]), row(21, [n, 1, 0])],
    {
      reads: (n) => {
        const top = (day: number, ...users: readonly (readonly [userID: number, steps: number])[]) => ({
          day,
          asOf: expect.stringMatching(/^20/),
          users: users.map(([userID, count]) => ({ userID, steps: count })),
        });
        return [
          [`/steps/top?day=${n}`, top(n, [20, 7], [9, 5], [100, 5])],
          [`/steps/top?day=${n}&limit=1`, top(n, [20, 7])],
          [`/steps/top?day=${n + 500_000}`, expect.objectContaining({ users: [] })],
        ];
      },
    },
  ),
];
