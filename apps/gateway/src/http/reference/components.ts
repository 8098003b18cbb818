import { catalogue, codesOfCatalogue, type ErrorCode } from "../../errors/catalogue.ts";
import { withoutRoute } from "./errors-of-route.ts";

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });

export const rateHeaders = { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimitPolicy") };
export const authenticateHeader = { "WWW-Authenticate": headerRef("WWWAuthenticate") };

export const errorRef = (key: "message" | "msg") => ({
  $ref: `#/components/schemas/${key === "message" ? "Error" : "ErrorOfAlbums"}`,
});

/** The name of an error's example. The bodies of a code differ only in their key. */
export function exampleOfError(code: ErrorCode, key: "message" | "msg"): string {
  return key === "message" ? code : `${code}.msg`;
}

const text = { type: "string" };

/** What operations refer to, without the responses that they share. */
export function componentsOf() {
  const examples = codesOfCatalogue.flatMap((code) =>
    (["message", "msg"] as const).map((key) => {
      return [exampleOfError(code, key), { value: { [key]: catalogue[code][1] } }] as const;
    }),
  );
  const responses = withoutRoute.map((code) => {
    const example = { [code]: { $ref: `#/components/examples/${code}` } };
    const content = { "application/json": { schema: errorRef("message"), examples: example } };
    const headers = catalogue[code][0] === 405 ? { headers: { Allow: headerRef("Allow") } } : {};
    return [code, { description: catalogue[code][1], ...headers, content }] as const;
  });
  return {
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer", description: "An API key, as `Authorization: Bearer tally_…`" },
      apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "The same key in another header" },
    },
    schemas: { Error: errorSchema("message"), ErrorOfAlbums: errorSchema("msg") },
    headers: {
      RetryAfter: {
        description: "How many seconds to wait before the request is sent again, with the same key",
        schema: { type: "integer", minimum: 1 },
      },
      RateLimit: {
        description:
          'With a rate limit: what is left (`r`) and the seconds until all of it is back (`t`), as `"key";r=999;t=1`',
        schema: text,
      },
      RateLimitPolicy: {
        description: 'With a rate limit: the burst (`q`) and its window in seconds (`w`), as `"key";q=1000;w=10`',
        schema: text,
      },
      WWWAuthenticate: { description: "How to authenticate (RFC 6750)", schema: text },
      Allow: { description: "The methods that the path has", schema: text },
    },
    examples: Object.fromEntries(examples),
    responses: Object.fromEntries(responses),
  };
}

function errorSchema(key: "message" | "msg") {
  const description = "the field, what was expected, and what the gateway received";
  return { type: "object", required: [key], properties: { [key]: { ...text, description } } };
}
