import { answered, created, json, post, refused, type HostileCase } from "./hostile-case.ts";
import { entry, postSale, sale, saleBody, salePath } from "./sample-requests.ts";

const keyed = (key: string): readonly string[] => [json, `Idempotency-Key: ${key}`];
const reused = refused(422, /Idempotency-Key/i);
const all = (...requests: readonly Buffer[]): readonly Buffer[] => requests;

const two = (n: number, more = ""): string => `[${entry(n)},${entry(n, more)}]`;
const invalid = `,"idempotencyKey":"x","price":1`;
const bulkKey = (n: number, body: string): Buffer => post("/purchases", body, keyed(`b${n}`));
const taken2 = answered(201, /"accepted":2,"refused":0/);

/** Keys of requests of many sales, and of their entries. */
export const bulkKeys: readonly HostileCase[] = [
  {
    name: "many sales with one key, sent again, are the same sales",
    inTurn: true,
    send: (n) => all(bulkKey(n, two(n)), bulkKey(n, two(n))),
    expect: [taken2, taken2],
    stores: (n) => Array(4).fill(sale(n)),
  },
  {
    name: "a partial retry under the key of the whole is answered 422 and not with another entry's id",
    inTurn: true,
    send: (n) => all(bulkKey(n, `[${entry(n)},${entry(n, invalid)}]`), bulkKey(n, `[${entry(n)}]`)),
    expect: [answered(207, /"accepted":1,"refused":1/), reused],
    stores: (n) => [sale(n)],
  },
  {
    name: "the entries of a request with a key in another order are answered 422",
    inTurn: true,
    send: (n) =>
      all(
        bulkKey(n, `[${entry(n)},${entry(n).replace(":3", ":4")}]`),
        bulkKey(n, `[${entry(n).replace(":3", ":4")},${entry(n)}]`),
      ),
    expect: [taken2, reused],
    stores: (n) => [sale(n), { ...sale(n), items: [[85571, 4]] }],
  },
  {
    name: "a partial retry under keys of its entries stores the corrected entry",
    inTurn: true,
    send: (n) =>
      all(
        post("/purchases", `[${entry(n, ',"idempotencyKey":"e1"')},${entry(n, ',"idempotencyKey":"e2","price":1')}]`),
        post("/purchases", `[${entry(n, ',"idempotencyKey":"e2"')}]`),
      ),
    expect: [answered(207, /"accepted":1,"refused":1/), answered(201, /"accepted":1/)],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "an entry's key that is used again with other content is refused for that entry",
    inTurn: true,
    send: (n) =>
      all(
        post("/purchases", `[${entry(n, ',"idempotencyKey":"e1"')}]`),
        post("/purchases", `[${entry(n, ',"idempotencyKey":"e1"').replace(":3", ":4")},${entry(n)}]`),
      ),
    expect: [answered(201), answered(207, /"accepted":1,"refused":1,.*"index":0,"status":422,"error":"/)],
    stores: (n) => [sale(n), sale(n)],
  },
  {
    name: "one key twice in a request, with other content, is refused the second time",
    send: (n) =>
      post(
        "/purchases",
        `[${entry(n, ',"idempotencyKey":"e1"')},${entry(n, ',"idempotencyKey":"e1"').replace(":3", ":4")}]`,
      ),
    expect: [answered(207, /"accepted":1,"refused":1,.*"index":1,"status":(409|422),"error":"/)],
    stores: (n) => [sale(n)],
  },
  {
    name: "an entry's key is that of a single sale",
    inTurn: true,
    send: (n) =>
      all(
        post("/purchases", `[${entry(n, ',"idempotencyKey":"e1"')}]`),
        postSale(n, keyed("e1")),
        post(salePath(n), saleBody.replace(":3", ":4"), keyed("e1")),
      ),
    expect: [answered(201), created, reused],
    stores: (n) => [sale(n), sale(n)],
  },
];
