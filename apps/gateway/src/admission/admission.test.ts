import { expect, test } from "vitest";
import { foreignPageOf } from "./admission.ts";

const host = "127.0.0.1:8080";
const own = "http://127.0.0.1:8080";
const other = "https://other.example";

test.each([
  [{ host }],
  [{ host, origin: own }],
  [{ host: "tally.internal:80", origin: "http://tally.internal" }],
  [{ host: "Gateway.Example", origin: "https://gateway.example" }],
  [{ host, origin: own, "sec-fetch-site": "same-origin" }],
  // A proxy has changed Host: the browser knows better.
  [{ host: "gateway:8080", origin: "https://tally.example", "sec-fetch-site": "same-origin" }],
  [{ host, "sec-fetch-site": "none" }],
])("%j is not of another site's page", (headers) => {
  expect(foreignPageOf(headers)).toBeUndefined();
});

test.each([
  [{ host, origin: other }, other],
  [{ host, origin: "http://127.0.0.1:3000" }, "http://127.0.0.1:3000"],
  [{ host, origin: "null" }, "null"],
  [{ host, origin: "" }, ""],
  [{ origin: other }, other],
  [{ host, origin: other, "sec-fetch-site": "cross-site" }, other],
  [{ host, origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }, "http://127.0.0.1:3000"],
  [{ host, origin: own, "sec-fetch-site": "cross-site" }, own],
  [{ host, "sec-fetch-site": "cross-site" }, "a cross-site page"],
  [{ host, origin: own, "sec-fetch-site": "same-origin, cross-site" }, own],
])("%j is of %s", (headers, page) => {
  expect(foreignPageOf(headers)).toBe(page);
});
