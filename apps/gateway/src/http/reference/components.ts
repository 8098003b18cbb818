import { IdempotencyKey } from "@tally/contract";
import { catalogue, type ErrorCode } from "../../errors/catalogue.ts";
import { documentedSchema, type JsonSchema } from "./documented-schema.ts";

/** The body of a bulk response. Entries that agree give it their status, errors included. */
export const bulkResult: JsonSchema = {
  type: "object",
  required: ["accepted", "refused", "results"],
  properties: {
    accepted: { type: "integer", minimum: 0 },
    refused: { type: "integer", minimum: 0 },
    results: {
      type: "array",
      items: {
        anyOf: [
          {
            type: "object",
            required: ["index", "status", "id"],
            properties: {
              index: { type: "integer", minimum: 0 },
              status: { type: "integer", enum: [201] },
              id: { type: "string", format: "uuid", description: "the event id" },
            },
          },
          {
            type: "object",
            required: ["index", "status", "error"],
            properties: {
              index: { type: "integer", minimum: 0 },
              status: { type: "integer", minimum: 400 },
              error: { type: "string" },
            },
          },
        ],
      },
    },
  },
};

/** The header of an accepted event; `ids`: the event ids of the examples, by their names. */
export function eventIdHeader(ids: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return {
    "Tally-Event-Id": {
      description: "The id of the event: `GET /events/{id}` shows whether it is stored and ranked",
      required: true,
      schema: { type: "string", format: "uuid" },
      examples: examplesOf(ids),
    },
  };
}

/** Examples as OpenAPI writes them. */
export function examplesOf(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, { readonly value: unknown }>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });

export const retryAfterHeader = { "Retry-After": headerRef("RetryAfter") };
export const rateHeaders = { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimitPolicy") };
export const authenticateHeader = { "WWW-Authenticate": headerRef("WWWAuthenticate") };

export const errorRef = (key: "message" | "msg") => ({
  $ref: `#/components/schemas/${key === "message" ? "Error" : "ErrorOfAlbums"}`,
});

/** The name of an error's example. The bodies of a code differ only in their key. */
export function exampleOfError(code: ErrorCode, key: "message" | "msg"): string {
  return key === "message" ? code : `${code}.msg`;
}

/** The request header of a route that takes one. */
export const keyParameter: JsonSchema = {
  ...documentedSchema(IdempotencyKey),
  description: "The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID",
};

/** Everything that operations refer to. */
export function componentsOf(withoutRoute: readonly ErrorCode[]) {
  const codes = Object.keys(catalogue).filter((code): code is ErrorCode => code in catalogue);
  const keys = ["message", "msg"] as const;
  const examples = codes.flatMap((code) =>
    keys.map((key) => [exampleOfError(code, key), { value: { [key]: catalogue[code][1] } }] as const),
  );
  const responses = withoutRoute.map((code) => {
    const content = {
      "application/json": {
        schema: errorRef("message"),
        examples: { [code]: { $ref: `#/components/examples/${code}` } },
      },
    };
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
      RetryAfter: header("How many seconds to wait before the request is sent again, with the same key", {
        type: "integer",
        minimum: 1,
      }),
      RateLimit: header(
        'With a rate limit: what is left (`r`) and the seconds until all of it is back (`t`), as `"key";r=999;t=1`',
        text,
      ),
      RateLimitPolicy: header(
        'With a rate limit: the burst (`q`) and its window in seconds (`w`), as `"key";q=1000;w=10`',
        text,
      ),
      WWWAuthenticate: header("How to authenticate (RFC 6750)", text),
      Allow: header("The methods that the path has", text),
    },
    examples: Object.fromEntries(examples),
    responses: Object.fromEntries(responses),
  };
}

const text: JsonSchema = { type: "string" };

function header(description: string, schema: JsonSchema) {
  return { description, schema };
}

function errorSchema(key: "message" | "msg"): JsonSchema {
  return {
    type: "object",
    required: [key],
    properties: {
      [key]: { type: "string", description: "the field, what was expected, and what the gateway received" },
    },
  };
}
