import { catalogue, codesOfCatalogue, type ErrorCode } from "../../errors/catalogue.ts";
import { objectOf } from "./route-parts.ts";

/** The key of an error's text in its body. */
export type ErrorKey = "message" | "msg";

export const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });
export const rateHeaders = { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimitPolicy") };

export const errorRef = (key: ErrorKey) => ({
  $ref: `#/components/schemas/${key === "message" ? "Error" : "ErrorOfAlbums"}`,
});

/** The name of an error's example. The bodies of a code differ only in their key. */
export const exampleName = (code: ErrorCode, key: ErrorKey) => (key === "message" ? code : `${code}.msg`);

/** Errors of requests that reach no route of the reference. */
export const withoutRoute: readonly ErrorCode[] = [
  "PATH_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "CONNECT",
  "BAD_REQUEST",
  "PAGE_NOT_BUILT",
];

const text = { type: "string", description: "the field, what was expected, and what the gateway received" };

/** What operations refer to, without the responses that they share. */
export const components = {
  securitySchemes: {
    bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer tally_…`" },
    apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "The same key in another header" },
  },
  schemas: { Error: objectOf({ message: text }), ErrorOfAlbums: objectOf({ msg: text }) },
  headers: {
    RetryAfter: {
      description: "How many seconds to wait before the request is sent again, with the same key",
      schema: { type: "integer", minimum: 1 },
    },
    RateLimit: textHeader(
      'With a rate limit: what is left (`r`) and the seconds until all of it is back (`t`), as `"key";r=999;t=1`',
    ),
    RateLimitPolicy: textHeader(
      'With a rate limit: the burst (`q`) and its window in seconds (`w`), as `"key";q=1000;w=10`',
    ),
    WWWAuthenticate: textHeader("How to authenticate (RFC 6750)"),
    Allow: textHeader("The methods that the path has"),
  },
  examples: Object.fromEntries(
    codesOfCatalogue.flatMap((code) => [
      [exampleName(code, "message"), { value: { message: catalogue[code][1] } }],
      [exampleName(code, "msg"), { value: { msg: catalogue[code][1] } }],
    ]),
  ),
  responses: Object.fromEntries(withoutRoute.map((code) => [code, responseWithoutRoute(code)])),
};

function textHeader(description: string) {
  return { description, schema: { type: "string" } };
}

function responseWithoutRoute(code: ErrorCode) {
  const [status, description] = catalogue[code];
  const headers = status === 405 ? { headers: { Allow: headerRef("Allow") } } : {};
  const examples = { [code]: { $ref: `#/components/examples/${code}` } };
  return { description, ...headers, content: { "application/json": { schema: errorRef("message"), examples } } };
}
