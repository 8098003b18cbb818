import { encodeEvent, utcDayOf, type IngestRoute } from "@tally/contract";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { purchaseRoutes as routes } from "./routes.ts";
import { encodeUsualPurchase } from "./usual-purchase.ts";

const id = "01234567-0123-7000-8000-0123456789ab";
const params = { storeID: "007", custID: "5001", date: "20261120" };
const route = routes.find((one): one is IngestRoute<never> => one.kind === "ingest");
if (route === undefined || route.body === "ignored") throw new TypeError("expected the route of one purchase");
const { toEvent } = route;
const check = Compile(route.body);

/** What the parser makes of a body; undefined for an invalid one. */
function parsed(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return check.Check(body) ? encodeEvent(toEvent(id, params, body)).json : undefined;
  } catch {
    return undefined;
  }
}
const usual = (text: string): string | undefined => encodeUsualPurchase(id, params, Buffer.from(text))?.json;

const items = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ItemID: String((n * 7919) % 99_999), numberOfItems: 1 + (n % 3) }));
const body = (count: number): string => JSON.stringify({ items: items(count) });

test.each([
  body(1),
  body(5),
  body(100),
  '{"items": [{"ItemID": "85571", "numberOfItems": 1}, {"ItemID": 7, "numberOfItems": 999999}]}',
  '{"items":[{"ItemID":0,"numberOfItems":1}]}',
  '{"items":[{"ItemID":"999999999999999","numberOfItems":10}]} ',
])("%s is encoded as the parser would", (text) => {
  expect(usual(text)).toBeDefined();
  expect(usual(text)).toBe(parsed(text));
});

test.each([
  "",
  "{}",
  '{"items":[]}',
  body(500),
  '{"items":[{"ItemID":"1234567890123456","numberOfItems":1}]}',
  '{"items":[{"ItemID":"1","numberOfItems":1000000}]}',
  '{"items":[{"ItemID":"1","numberOfItems":1.5}]}',
  '{"items":[{"ItemID":"1","numberOfItems":1e3}]}',
  '{"items":[{"ItemID":"1","numberOfItems":"1"}]}',
  '{"items":[{"numberOfItems":1,"ItemID":"1"}]}',
  '{"items":[{"ItemID":"1","numberOfItems":1,"unitPrice":"1.99"}]}',
  '{"items":[{"ItemID":"1","numberOfItems":1}],"soldAt":"2026-11-20T12:00:00Z"}',
  `${body(2)}x`,
])("%s is left to the parser", (text) => {
  expect(usual(text)).toBeUndefined();
});

test("a date that some time zones reject is left to the parser", () => {
  const usualOn = (date: string) => encodeUsualPurchase(id, { ...params, date }, Buffer.from(body(1)));
  expect(usualOn("99991231")).toBeUndefined();
  expect(usualOn(String(utcDayOf(Date.now() + 38 * 3_600_000)))).toBeUndefined();
});

test("whatever byte of a usual body changes, it is encoded as the parser would, or left to it", () => {
  const original = body(3);
  const bytes = ['"', "0", "9", " ", ",", ":", "{", "}", "[", "]", "-", ".", "e", "\t", "\n", "é", "\0", ""];
  let encoded = 0;
  for (let at = 0; at < original.length; at++) {
    for (const byte of bytes) {
      for (const rest of [at, at + 1]) {
        const text = original.slice(0, at) + byte + original.slice(rest);
        const json = usual(text);
        if (json === undefined) continue;
        encoded++;
        expect({ text, json }).toEqual({ text, json: parsed(text) });
      }
    }
  }
  expect(encoded).toBeGreaterThan(50);
});
