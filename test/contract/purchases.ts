import { asks, created, get, json, ok, post, stores, type HttpCase, type Read } from "../http/http-case.ts";
import { sale, saleBody, salePath, sells } from "../http/sample-requests.ts";

const topItems = (store: number, ...items: readonly (readonly [itemID: number, numberOfItems: number])[]): Read => [
  `/items/store/${store}`,
  { stores: items.map(([itemID, numberOfItems]) => ({ itemID, numberOfItems })) },
];

/** POST /purchase, GET /items: the contract of the purchases. */
export const purchases: readonly HttpCase[] = [
  stores(
    "a purchase gets 201 with its event's id, and is in both rankings",
    (n) => post(salePath(n), `{"items":[{"ItemID":"${n}","numberOfItems":3}]}`),
    { ...created, headers: { "tally-event-id": /^[0-9a-f]{8}-[0-9a-f]{4}-7/ } },
    (n) => sale(n, { items: [[n, 3]] }),
    {
      reads: (n) => [
        topItems(n, [n, 3]),
        [`/items/top5/${n}`, { stores: [{ storeID: n, numberOfItems: 3 }] }],
        [`/items/top10/${n}`, { stores: [{ storeID: n, numberOfItems: 3 }] }],
      ],
    },
  ),
  sells("numbers with leading zeros, and slashes: a sale of the same store", (n) =>
    post(`/${salePath(n).replace("purchase/", "purchase//00").replace("/1/", "/01/")}/`, saleBody),
  ),
  stores(
    "ids are numbers or texts, and the count has either of its keys; highest count first, ties by the smaller id",
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
    { reads: (n) => [topItems(n, [12, 2], [11, 1], [13, 1])] },
  ),
  ...["/items/store/999999", "/items/top5/999999", "/items/top10/999999"].map((path) =>
    asks(`${path} of an unknown id is an empty list`, () => get(path), ok(200, '{"stores":[]}')),
  ),
  ...[["Content-Length: 0"], []].map((headers) =>
    asks(
      `a GET with a Content-Type and ${headers[0] ?? "no length"} is served`,
      () => get("/items/store/3", [json, ...headers]),
      {
        ...ok(200),
        headers: { "content-type": /^application\/json; charset=utf-8$/ },
      },
    ),
  ),
];
