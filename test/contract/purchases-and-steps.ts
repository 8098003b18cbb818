import { expect } from "vitest";
import { asks, created, inTurn, ok, stepsAccepted, stores, type HttpCase, type Read } from "../http/cases.ts";
import { get, json, post, saleBody, salePath, stepsPath, upgrade } from "../http/requests.ts";
import { sale, steps } from "../http/stored.ts";

const topItems = (store: number, ...items: readonly (readonly [itemID: number, numberOfItems: number])[]): Read => [
  `/items/store/${store}`,
  { stores: items.map(([itemID, numberOfItems]) => ({ itemID, numberOfItems })) },
];

export const purchases: readonly HttpCase[] = [
  stores(
    "a purchase gets 201 with its event's id, and is in both rankings",
    (n) => post(salePath(n), `{"items":[{"ItemID":"${n}","numberOfItems":3}]}`),
    { ...created, headers: { "tally-event-id": /^[0-9a-f]{8}-[0-9a-f]{4}-7/ } },
    (n) => sale(n, { items: [[n, 3]] }),
    (n) => [
      topItems(n, [n, 3]),
      [`/items/top5/${n}`, { stores: [{ storeID: n, numberOfItems: 3 }] }],
      [`/items/top10/${n}`, { stores: [{ storeID: n, numberOfItems: 3 }] }],
    ],
  ),
  stores(
    "numbers with leading zeros, and slashes: a sale of the same store",
    (n) => post(`/${salePath(n).replace("purchase/", "purchase//00").replace("/1/", "/01/")}/`, saleBody),
    created,
    sale,
  ),
  stores(
    "ids are numbers or texts, the count has either key; highest count first, ties by the smaller id",
    (n) =>
      post(
        salePath(n),
        '{"items":[{"ItemID":13,"numberOfItems":1},{"ItemID":11,"numberOfItems":1},{"ItemID":"12","numberOfItems:":2}]}',
      ),
    created,
    (n) =>
      sale(n, {
        items: [
          [13, 1],
          [11, 1],
          [12, 2],
        ],
      }),
    (n) => [topItems(n, [12, 2], [11, 1], [13, 1])],
  ),
  ...["/items/store/999999", "/items/top5/999999", "/items/top10/999999"].map((path) =>
    asks(`${path} of an unknown id is an empty list, also with a Content-Type`, () => get(path, [json]), {
      ...ok(200, '{"stores":[]}'),
      headers: { "content-type": /^application\/json; charset=utf-8$/ },
    }),
  ),
];

type Post = readonly [day: number, hour: number, count: number];
const posted = (user: number, [day, hour, count]: Post): Buffer =>
  post(`/steps/${user}/${day}/${hour}/${count}`, "", []);
const row = (user: number, [day, hour, count]: Post) => steps(user, { day, hour, steps: count });

const bodies: readonly (readonly [body: string | Buffer, ...headers: readonly string[]])[] = [
  ["", json],
  ["some text", "Content-Type: "],
  ["{no JSON", json],
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
    (n) => [
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
  ),
  stores(
    "a user whose steps are 0 has the sum 0",
    (n) => posted(n, [1, 5, 0]),
    stepsAccepted,
    (n) => row(n, [1, 5, 0]),
    (n) => [[`/steps/current/${n}`, "0"]],
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
    (n) => [[`/steps/current/${n}`, "253"]],
  ),
  stores(
    "the ranking of a day: most steps first, ties by the smaller user, no user without steps; an unknown day is empty",
    (n) => inTurn(posted(9, [n, 1, 5]), posted(100, [n, 1, 5]), posted(20, [n, 1, 7]), posted(21, [n, 1, 0])),
    [stepsAccepted, stepsAccepted, stepsAccepted, stepsAccepted],
    (n) => [row(9, [n, 1, 5]), row(100, [n, 1, 5]), row(20, [n, 1, 7]), row(21, [n, 1, 0])],
    (n) => {
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
  ),
];
