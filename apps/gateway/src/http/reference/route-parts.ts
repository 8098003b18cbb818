import {
  eventIdOfKey,
  newEventId,
  type BulkRoute,
  type Event,
  type FormRoute,
  type IngestRoute,
} from "@tally/contract";
import { documentedSchema, type JsonSchema, type RequestValues, type ServedRoute } from "./documented.ts";

/** The parts of an operation that differ between kinds of routes. Examples belong together by their names. */
export interface RouteParts {
  /** TypeBox schemas. */
  readonly params?: unknown;
  readonly query?: unknown;
  readonly requests: Readonly<Record<string, RequestValues>>;
  /** Whether it takes an Idempotency-Key. */
  readonly takesKey?: boolean;
  /** undefined: no body, or an ignored one. */
  readonly body?: Content | undefined;
  /** By status. */
  readonly successes: Readonly<Record<string, Success>>;
}

/** By media type. */
type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: unknown }>>;

interface Success {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

type Named<T> = Readonly<Record<string, T>>;

const json = "application/json";
const accepted = "Accepted: durable at the message broker. The row and the rankings follow within a moment";

export function partsOf({ documented, schema }: ServedRoute): RouteParts {
  if (!("domain" in documented)) {
    const { type = json, examples = {} } = documented;
    const { params, querystring: query, response } = schema;
    return { params, query, requests: examples, successes: ok(type, response, examples) };
  }
  const { route } = documented;
  switch (route.kind) {
    case "ingest":
      return ingestParts(route);
    case "form":
      return formParts(route);
    case "bulk":
      return bulkParts(route);
    case "query": {
      const { params, query, response, as, examples } = route;
      const type = as === "text" ? "text/plain" : json;
      return { params, query, requests: examples, successes: ok(type, response, examples) };
    }
    case "content": {
      const { params, types, examples } = route;
      const content = Object.assign({}, ...types.map((type) => media(type, { type: "string", format: "binary" })));
      const description = "The bytes. They never change, so any cache may keep them";
      return { params, requests: examples, successes: { 200: { description, content } } };
    }
  }
}

function ingestParts({ params, body, status, text, examples, scope, toEvent }: IngestRoute<Event>): RouteParts {
  const ids = mapValues(examples, ({ params: own = {}, body: content, idempotencyKey }) => {
    const id = idempotencyKey === undefined ? newEventId() : eventIdOfKey(scope(own, content), idempotencyKey);
    return toEvent(id, own, content).id;
  });
  const bodies = mapValues(examples, ({ body: content }) => content);
  return {
    params,
    requests: examples,
    takesKey: true,
    body: body === "ignored" ? undefined : media(json, body, bodies),
    successes: {
      [status]: {
        description: accepted,
        headers: eventIdHeader(ids),
        ...(text === undefined ? {} : { content: media("text/plain", { type: "string", enum: [text] }) }),
      },
    },
  };
}

function formParts({ params, form, response, status, examples, scope }: FormRoute<Event>): RouteParts {
  const ids = mapValues(examples, ({ params: own = {}, idempotencyKey }) =>
    idempotencyKey === undefined ? newEventId() : eventIdOfKey(scope(own), idempotencyKey),
  );
  const forms = mapValues(examples, ({ form: parts }) => parts);
  const content = media(json, response, responsesOf(examples));
  return {
    params,
    requests: examples,
    takesKey: true,
    body: media("multipart/form-data", form, forms),
    successes: { [status]: { description: accepted, headers: eventIdHeader(ids), content } },
  };
}

function bulkParts({ entry, entriesMax, examples, key, scope }: BulkRoute<Event>): RouteParts {
  const arrays = mapValues(examples, ({ entries }) => entries);
  const lines = mapValues(arrays, (entries) => entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const results = mapValues(arrays, (entries) => {
    const idOf = (one: unknown) => {
      const own = key(one);
      return own === undefined ? newEventId() : eventIdOfKey(scope(one), own);
    };
    const own = entries.map((one, index) => ({ index, status: 201, id: idOf(one) }));
    return { accepted: entries.length, refused: 0, results: own };
  });
  return {
    requests: mapValues(examples, () => ({})),
    takesKey: true,
    body: {
      ...media(json, { type: "array", minItems: 1, maxItems: entriesMax, items: documentedSchema(entry) }, arrays),
      ...media("application/x-ndjson", { type: "string", description: "One entry a line, as JSON" }, lines),
    },
    successes: {
      201: { description: accepted, content: media(json, bulkResult, results) },
      207: {
        description: "The entries differ: each has its own status",
        headers: retryAfterHeader,
        content: media(json, bulkResult),
      },
    },
  };
}

function ok(type: string, schema: unknown, examples: Named<{ readonly response?: unknown }>): RouteParts["successes"] {
  return { 200: { description: "OK", content: media(type, schema, responsesOf(examples)) } };
}

function responsesOf(examples: Named<{ readonly response?: unknown }>): Named<unknown> {
  return mapValues(examples, ({ response }) => response);
}

function media(type: string, schema: unknown, examples: Named<unknown> = {}): Content {
  return { [type]: { schema: documentedSchema(schema), ...examplesOf(examples) } };
}

/** Examples as OpenAPI writes them; nothing where all values are absent. */
export function examplesOf(values: Named<unknown>): { readonly examples?: Named<{ readonly value: unknown }> } {
  const shown = Object.entries(values).filter(([, value]) => value !== undefined);
  return shown.length === 0 ? {} : { examples: Object.fromEntries(shown.map(([name, value]) => [name, { value }])) };
}

function mapValues<T, R>(record: Named<T>, of: (value: T) => R): Named<R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));
}

/** The header of an accepted event; `ids`: the event ids of the examples. */
function eventIdHeader(ids: Named<string>) {
  return {
    "Tally-Event-Id": {
      description: "The id of the event: `GET /events/{id}` shows whether it is stored and ranked",
      required: true,
      schema: { type: "string", format: "uuid" },
      ...examplesOf(ids),
    },
  };
}

export const retryAfterHeader = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

const index: JsonSchema = { type: "integer", minimum: 0 };
const acceptedEntry: JsonSchema = {
  type: "object",
  required: ["index", "status", "id"],
  properties: {
    index,
    status: { type: "integer", enum: [201] },
    id: { type: "string", format: "uuid", description: "the event id" },
  },
};
const rejectedEntry: JsonSchema = {
  type: "object",
  required: ["index", "status", "error"],
  properties: { index, status: { type: "integer", minimum: 400 }, error: { type: "string" } },
};

/** The body of a bulk response. Entries that agree give it their status, errors included. */
export const bulkResult: JsonSchema = {
  type: "object",
  required: ["accepted", "refused", "results"],
  properties: {
    accepted: { type: "integer", minimum: 0 },
    refused: { type: "integer", minimum: 0 },
    results: { type: "array", items: { anyOf: [acceptedEntry, rejectedEntry] } },
  },
};
