import { exampleEvents, type BulkRoute, type Event, type FormRoute } from "@tally/contract";
import type { IngestRoute, QueryRoute } from "@tally/contract";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { listsIn } from "../csv-lists.ts";
import { documentedSchema, isRecord, mapValues, type JsonSchema, type Named, type ServedRoute } from "./documented.ts";

/** The parts of an operation that differ between kinds of routes. */
export interface RouteParts {
  /** Absent: no body, or an ignored one. */
  readonly body?: Content;
  /** By status. */
  readonly successes: Named<Success>;
  /** Besides those of all routes and of its access. */
  readonly errors: readonly ErrorCode[];
}

/** By media type. */
type Content = Named<{ readonly schema: JsonSchema; readonly examples?: unknown }>;

interface Success {
  readonly description: string;
  readonly headers?: Named<unknown>;
  readonly content?: Content | undefined;
}

const json = "application/json";
const responseOf = ({ response }: { readonly response?: unknown }) => response;
const accepted = "Accepted: durable at the message broker. The row and the rankings follow within a moment";

type Codes = readonly ErrorCode[];
const ofBody: Codes = ["BODY_TOO_LARGE", "BODY_CUT_SHORT", "BODIES_FULL"];
const ofReadBody: Codes = ["UNSUPPORTED_CONTENT", "CONTENT_TYPE", ...ofBody];
// The key is checked by INVALID_INPUT too.
const ofKey: Codes = ["INVALID_INPUT", "IDEMPOTENCY_KEY_REUSED", "UNREADABLE"];
const ofEvents: Codes = [...ofKey, "BUSY", "BROKER_UNAVAILABLE", "NOT_CONFIRMED"];
const ofReads: Codes = ["READS_FULL", "UNREADABLE"];
const ofFinds: Codes = ["NOT_FOUND", "NOT_YET", ...ofReads];

export function partsOf({ document, schema: { params, querystring, response } }: ServedRoute): RouteParts {
  switch (document.kind) {
    case undefined: {
      const { type = json, examples = {}, errors = [] } = document;
      const ofValues: Codes = params === undefined && querystring === undefined ? [] : ["INVALID_INPUT"];
      const schema = isRecord(response) ? response["200"] : undefined;
      const content = { ...media(type, schema, mapValues(examples, responseOf)), ...csvOfLists(schema) };
      return { successes: ok(content), errors: [...errors, ...ofValues] };
    }
    case "ingest":
      return ingestParts(document);
    case "form":
      return formParts(document);
    case "bulk":
      return bulkParts(document);
    case "put": {
      const { body, examples } = document;
      const successes = ok(media(json, document.response, mapValues(examples, responseOf)), "OK: committed");
      const bodies = mapValues(examples, (example) => example.body);
      const errors: Codes = ["INVALID_INPUT", "CONFIGURATION_READ_ONLY", "UNREADABLE", ...ofReadBody];
      return { body: media(json, body, bodies), successes, errors };
    }
    case "query": {
      const content = media(
        document.as === "text" ? "text/plain" : json,
        document.response,
        mapValues(document.examples, responseOf),
      );
      const successes = ok({ ...content, ...csvOfLists(document.response) });
      return { successes, errors: ["INVALID_INPUT", ...errorsOfQuery(document)] };
    }
    case "content": {
      const bytes = { type: "string", format: "binary" };
      const content = Object.assign({}, ...document.types.map((type) => media(type, bytes)));
      const errors: Codes = ["INVALID_INPUT", ...(document.finds === true ? ofFinds : ofReads)];
      const sentence = "The bytes. They never change, so caches may keep them; with an API key only private ones";
      return { successes: ok(content, sentence), errors };
    }
  }
}

const csvOfLists = (response: unknown): Content =>
  Object.keys(listsIn(response)).length === 0 ? {} : media("text/csv", { type: "string" });

function errorsOfQuery({ finds, mayMiss }: QueryRoute): Codes {
  if (finds === true) return ofFinds;
  return mayMiss === true ? ["NOT_FOUND", ...ofReads] : ofReads;
}

function ingestParts(route: IngestRoute<Event>): RouteParts {
  const { body, text, examples, requires, storeOfStored } = route;
  const content = text === undefined ? undefined : media("text/plain", { type: "string", enum: [text] });
  const successes = accepts(route, content);
  const errors = [...ofEvents, ...((requires ?? storeOfStored) === undefined ? [] : ofFinds)];
  if (body === "ignored") return { successes, errors: [...errors, ...ofBody] };
  const bodies = mapValues(examples, (example) => example.body);
  return { body: media(json, body, bodies), successes, errors: [...errors, ...ofReadBody] };
}

function formParts(route: FormRoute<Event>): RouteParts {
  const { form, response, examples } = route;
  const forms = mapValues(examples, (example) => example.form);
  return {
    body: media("multipart/form-data", form, forms),
    successes: accepts(route, media(json, response, mapValues(examples, responseOf))),
    errors: [...ofEvents, ...ofReadBody, "PART_TOO_LARGE"],
  };
}

function accepts(route: IngestRoute<Event> | FormRoute<Event>, content: Content | undefined): RouteParts["successes"] {
  const ids = mapValues(exampleEvents(route), ([event]) => event?.id);
  const description = "The id of the event: `GET /events/{id}` shows whether it is stored and ranked";
  const schema = { type: "string", format: "uuid" };
  const headers = { "Tally-Event-Id": { description, required: true, schema, examples: examplesOf(ids) } };
  return { [route.status]: { description: accepted, headers, content } };
}

function bulkParts(route: BulkRoute<Event>): RouteParts {
  const { entry, entriesMax, examples } = route;
  const arrays = mapValues(examples, ({ entries }) => entries);
  const lines = mapValues(arrays, (entries) => entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const results = mapValues(exampleEvents(route), (events) => {
    const own = events.map(({ id }, index) => ({ index, status: 201, id }));
    return { accepted: events.length, refused: 0, results: own };
  });
  const differ = "The entries differ: each has its own status";
  return {
    body: {
      ...media(json, { type: "array", minItems: 1, maxItems: entriesMax, items: documentedSchema(entry) }, arrays),
      ...media("application/x-ndjson", { type: "string", description: "One entry a line, as JSON" }, lines),
    },
    successes: {
      201: { description: accepted, content: media(json, bulkResult, results) },
      207: { description: differ, headers: retryAfterHeader, content: media(json, bulkResult) },
    },
    errors: [...ofEvents, ...ofReadBody, "RESPONSES_FULL"],
  };
}

function ok(content: Content, description = "OK"): RouteParts["successes"] {
  return { 200: { description, content } };
}

function media(type: string, schema: unknown, examples: Named<unknown> = {}): Content {
  return { [type]: { schema: documentedSchema(schema), examples: examplesOf(examples) } };
}

/** Examples as OpenAPI writes them; undefined where all values are absent. */
export function examplesOf(values: Named<unknown>): Named<object> | undefined {
  const shown = Object.entries(values).filter(([, value]) => value !== undefined);
  return shown.length === 0 ? undefined : Object.fromEntries(shown.map(([name, value]) => [name, { value }]));
}

export const retryAfterHeader = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

const count: JsonSchema = { type: "integer", minimum: 0 };
const acceptedEntry = objectOf({
  index: count,
  status: { type: "integer", enum: [201] },
  id: { type: "string", format: "uuid", description: "the event id" },
});
const rejectedEntry = objectOf({ index: count, status: { type: "integer", minimum: 400 }, error: { type: "string" } });

/** The body of a bulk response. Entries that agree give it their status, errors included. */
export const bulkResult = objectOf({
  accepted: count,
  refused: count,
  results: { type: "array", items: { anyOf: [acceptedEntry, rejectedEntry] } },
});

export function objectOf(properties: Named<JsonSchema>): JsonSchema {
  return { type: "object", required: Object.keys(properties), properties };
}
