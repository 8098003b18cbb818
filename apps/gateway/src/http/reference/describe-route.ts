import {
  eventIdOfKey,
  newEventId,
  type BulkRoute,
  type Domain,
  type Event,
  type FormRoute,
  type IngestRoute,
} from "@tally/contract";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { bulkResult, eventIdHeader, retryAfterHeader } from "./components.ts";
import type { DomainDocument, OwnDocument, ServedRoute } from "./documented.ts";
import { documentedSchema, type JsonSchema } from "./documented-schema.ts";
import { errorsOf } from "./errors-of-route.ts";

/** A route in the terms of OpenAPI. Examples of params, headers, bodies and responses belong together by their names. */
export interface RouteDescription {
  /** The group in which it is listed. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly params: JsonSchema;
  readonly query: JsonSchema;
  readonly requests: Readonly<Record<string, RequestValues>>;
  /** Whether it takes an Idempotency-Key. */
  readonly takesKey: boolean;
  /** By media type; undefined: no body, or an ignored one. */
  readonly body: Readonly<Record<string, Media>> | undefined;
  /** By status. */
  readonly successes: Readonly<Record<string, Success>>;
  readonly errors: readonly ErrorCode[];
  readonly errorKey: Domain["errorKey"];
}

interface RequestValues {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly idempotencyKey?: string | undefined;
}

interface Media {
  readonly schema: JsonSchema;
  /** By the names of the requests. */
  readonly examples: Readonly<Record<string, unknown>>;
}

export interface Success {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** By media type; absent: an empty body. */
  readonly content?: Readonly<Record<string, Media>>;
}

const json = "application/json";
const none: JsonSchema = { type: "object", properties: {} };

/** What the API reference says about a route. */
export function describeRoute(served: ServedRoute): RouteDescription {
  const { documented } = served;
  return {
    ...("domain" in documented ? describeDomain(documented) : describeOwn(served, documented)),
    errors: errorsOf(served),
  };
}

type Described = Omit<RouteDescription, "errors">;

function describeOwn({ schema }: ServedRoute, { summary, description, type = json, examples }: OwnDocument): Described {
  const responses = mapValues(examples, ({ response }) => response);
  const shown = Object.fromEntries(Object.entries(responses).filter(([, response]) => response !== undefined));
  return {
    tag: "system",
    summary,
    description,
    params: schema.params === undefined ? none : documentedSchema(schema.params),
    query: schema.querystring === undefined ? none : documentedSchema(schema.querystring),
    requests: examples,
    takesKey: false,
    body: undefined,
    successes: {
      200: { description: "OK", content: { [type]: { schema: documentedSchema(schema.response), examples: shown } } },
    },
    errorKey: "message",
  };
}

function describeDomain({ domain, route }: DomainDocument): Described {
  const { summary, description } = route;
  const words = { tag: domain.name, summary, description, errorKey: domain.errorKey };
  switch (route.kind) {
    case "ingest":
      return { ...words, ...describeIngest(route) };
    case "form":
      return { ...words, ...describeForm(route) };
    case "bulk":
      return { ...words, ...describeBulk(route) };
    case "query": {
      const type = route.as === "text" ? "text/plain" : json;
      const examples = mapValues(route.examples, ({ response }) => response);
      return {
        ...words,
        params: documentedSchema(route.params),
        query: documentedSchema(route.query),
        requests: route.examples,
        takesKey: false,
        body: undefined,
        successes: {
          200: { description: "OK", content: { [type]: { schema: documentedSchema(route.response), examples } } },
        },
      };
    }
    case "content": {
      const bytes: Media = { schema: { type: "string", format: "binary" }, examples: {} };
      return {
        ...words,
        params: documentedSchema(route.params),
        query: none,
        requests: route.examples,
        takesKey: false,
        body: undefined,
        successes: {
          200: {
            description: "The bytes. They never change, so any cache may keep them",
            content: Object.fromEntries(route.types.map((type) => [type, bytes])),
          },
        },
      };
    }
  }
}

type OfKind = Omit<Described, "tag" | "summary" | "description" | "errorKey">;

function describeIngest(route: IngestRoute<Event>): OfKind {
  const ids = mapValues(route.examples, ({ params = {}, body, idempotencyKey }) => {
    const id = idempotencyKey === undefined ? newEventId() : eventIdOfKey(route.scope(params, body), idempotencyKey);
    return route.toEvent(id, params, body).id;
  });
  return {
    params: documentedSchema(route.params),
    query: none,
    requests: route.examples,
    takesKey: true,
    body:
      route.body === "ignored"
        ? undefined
        : { [json]: { schema: documentedSchema(route.body), examples: mapValues(route.examples, ({ body }) => body) } },
    successes: {
      [route.status]: {
        description: accepted,
        headers: eventIdHeader(ids),
        ...(route.text === undefined
          ? {}
          : { content: { "text/plain": { schema: { type: "string", enum: [route.text] }, examples: {} } } }),
      },
    },
  };
}

function describeForm(route: FormRoute<Event>): OfKind {
  const ids = mapValues(route.examples, ({ params = {}, idempotencyKey }) =>
    idempotencyKey === undefined ? newEventId() : eventIdOfKey(route.scope(params), idempotencyKey),
  );
  return {
    params: documentedSchema(route.params),
    query: none,
    requests: route.examples,
    takesKey: true,
    body: {
      "multipart/form-data": {
        schema: documentedSchema(route.form),
        examples: mapValues(route.examples, ({ form }) => form),
      },
    },
    successes: {
      [route.status]: {
        description: accepted,
        headers: eventIdHeader(ids),
        content: {
          [json]: {
            schema: documentedSchema(route.response),
            examples: mapValues(route.examples, ({ response }) => response),
          },
        },
      },
    },
  };
}

function describeBulk(route: BulkRoute<Event>): OfKind {
  const { examples, entriesMax } = route;
  const schema = { type: "array", minItems: 1, maxItems: entriesMax, items: documentedSchema(route.entry) };
  const lines = mapValues(examples, ({ entries }) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const results = mapValues(examples, ({ entries }) => ({
    accepted: entries.length,
    refused: 0,
    results: entries.map((entry, index) => {
      const key = route.key(entry);
      return { index, status: 201, id: key === undefined ? newEventId() : eventIdOfKey(route.scope(entry), key) };
    }),
  }));
  return {
    params: none,
    query: none,
    requests: mapValues(examples, () => ({})),
    takesKey: true,
    body: {
      [json]: { schema, examples: mapValues(examples, ({ entries }) => entries) },
      "application/x-ndjson": { schema: { type: "string", description: "One entry a line, as JSON" }, examples: lines },
    },
    successes: {
      201: { description: accepted, content: { [json]: { schema: bulkResult, examples: results } } },
      207: {
        description: "The entries differ: each has its own status",
        headers: retryAfterHeader,
        content: { [json]: { schema: bulkResult, examples: {} } },
      },
    },
  };
}

const accepted = "Accepted: durable at the message broker. The row and the rankings follow within a moment";

function mapValues<T, R>(record: Readonly<Record<string, T>>, of: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));
}
