import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { IdempotencyKey } from "@tally/contract";
import { domains } from "@tally/domains";
import { catalogue, codesOfCatalogue, type ErrorCode } from "../../errors/catalogue.ts";
import { components, errorRef, type ErrorKey, exampleName, headerRef, rateHeaders } from "./components.ts";
import { documentedSchema, isRecord, mapValues, type Named, type ServedRoute } from "./documented.ts";
import { bulkResult, examplesOf, partsOf, retryAfterHeader, type RouteParts } from "./route-parts.ts";

// What holds for all routes (CommonMark).
const generalRules = readFileSync(new URL("page/general-rules.txt", import.meta.url), "utf8");

/** The OpenAPI 3.1 document of routes. */
export function apiDocument(routes: readonly ServedRoute[]): object {
  const shared: Record<string, object> = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const item = (paths[route.url.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    item[route.method.toLowerCase()] = operationOf(route, shared);
  }
  const system = { name: "system", description: "The state of events and of the system." };
  return {
    openapi: "3.1.0",
    info: { title: "tally", version: "0.1.0", description: generalRules },
    servers: [{ url: "/" }],
    tags: [...domains.map(({ name, description }) => ({ name, description })), system],
    components: { ...components, responses: { ...shared, ...components.responses } },
    paths,
  };
}

function operationOf(route: ServedRoute, shared: Record<string, object>): object {
  const { method, url, access, domain, document } = route;
  const { summary, description } = document;
  const parts = partsOf(route);
  const parameters = parametersOf(route);
  const scopes = typeof access === "string" ? [] : [`${access.domain}:${access.action}`];
  // "GET /items/top5/:itemID" is getItemsTop5ItemID.
  const name = url.replaceAll(/\W+(\w?)/g, (_, first: string) => first.toUpperCase());
  return {
    operationId: method.toLowerCase() + name,
    summary,
    tags: [domain?.name ?? "system"],
    description: description && `${description}.`,
    requestBody: parts.body && { required: !("mayLackBody" in document), content: parts.body },
    parameters: parameters.length === 0 ? undefined : parameters,
    security: access === "open" ? [] : [{ bearer: scopes }, { apiKey: scopes }],
    responses: responsesOf(parts, route, shared),
  };
}

const keyName = "Idempotency-Key";
const keyDescription = "The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID";
const Key = { ...documentedSchema(IdempotencyKey), description: keyDescription };

function parametersOf({ method, domain, schema, document }: ServedRoute): readonly object[] {
  const requests: Named<object> = document.examples ?? {};
  const required = "requiresKey" in document ? [keyName] : [];
  const key = domain !== undefined && method === "POST" ? { properties: { [keyName]: Key }, required } : undefined;
  const valuesOf = (part: "query" | "params") => mapValues(requests, (one): unknown => Reflect.get(one, part));
  const keys = mapValues(requests, (one) => ({ [keyName]: Reflect.get(one, "idempotencyKey") as unknown }));
  return [
    ...parametersIn("query", schema.querystring, valuesOf("query")),
    ...parametersIn("path", schema.params, valuesOf("params")),
    ...parametersIn("header", key, keys),
  ];
}

/** The properties of a schema as parameters, with their values in each example request. */
function parametersIn(place: "query" | "path" | "header", schema: unknown, examples: Named<unknown>): object[] {
  const { properties, required } = documentedSchema(schema);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...own } = isRecord(property) ? property : {};
    const isRequired = place === "path" || (Array.isArray(required) && required.includes(name));
    const values = mapValues(examples, (example) => (isRecord(example) ? example[name] : undefined));
    return { name, in: place, required: isRequired, schema: own, examples: examplesOf(values), description };
  });
}

// The statuses that all entries of a bulk request may have.
const bulkStatuses: ReadonlySet<number> = new Set([400, 403, 422, 503]);

function responsesOf({ successes, errors }: RouteParts, route: ServedRoute, shared: Record<string, object>): object {
  const { access, domain, document } = route;
  const limited = access === "open" ? {} : rateHeaders;
  const ofSuccesses = mapValues(successes, ({ description, headers, content }) => {
    return { description, headers: headersOf({ ...headers, ...limited }), content };
  });
  const codes: ReadonlySet<ErrorCode> = new Set([...errors, ...errorsOf(route)]);
  const byStatus = Map.groupBy(
    codesOfCatalogue.filter((code) => codes.has(code)),
    (code) => catalogue[code][0],
  );
  const ofErrors = Array.from(byStatus, ([status, own]) => {
    const response = errorResponse(status, own, domain?.errorKey ?? "message", document.kind === "bulk");
    return [status, shareResponse(status, response, shared)] as const;
  });
  return { ...ofSuccesses, ...Object.fromEntries(ofErrors) };
}

// Found in the head of a request, before its route is known.
const ofHead = codesOfCatalogue.slice(0, codesOfCatalogue.indexOf("CONNECT"));
const ofApiKey = codesOfCatalogue.filter((code) => code.startsWith("API_KEY_"));

/** The errors that a request can get by the path, the method and the access of its route. */
function errorsOf({ method, access, url, document }: ServedRoute): readonly ErrorCode[] {
  const codes: ErrorCode[] = [...ofHead, "CHUNK_EXTENSIONS_TOO_LARGE", "INTERNAL"];
  if (url.includes(":")) codes.push("PATH_ENCODING", "PATH_TOO_LONG");
  if (method !== "GET") codes.push("FOREIGN_PAGE");
  else if (!("type" in document && document.type === "text/event-stream")) codes.push("RESPONSES_FULL");
  if (access === "open") return codes;
  codes.push(...ofApiKey, "SCOPE_MISSING", "RATE_LIMITED", "RATE_LIMIT_UNCHECKED");
  if (document.kind === undefined) return codes;
  const isFound = "storeOfResponse" in document || "storeOfStored" in document;
  const storeOf = "storeOf" in document ? document.storeOf : undefined;
  if (storeOf !== undefined || isFound) codes.push("STORE_FORBIDDEN");
  if (document.kind === "bulk") codes.push("BURST_EXCEEDED");
  // A store in the path is always known; in a query or a body it may be absent.
  const isInPath = "params" in document && "storeID" in document.params.properties;
  if (!isFound && (storeOf === undefined || !isInPath)) codes.push("STORE_LIMITED");
  return codes;
}

function errorResponse(status: number, codes: readonly ErrorCode[], key: ErrorKey, isBulk: boolean) {
  const isLater = codes.some((code) => catalogue[code].length > 2);
  const headers = {
    ...(isLater && retryAfterHeader),
    ...(status === 429 && rateHeaders),
    ...((status === 401 || status === 403) && { "WWW-Authenticate": headerRef("WWWAuthenticate") }),
  };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${exampleName(code, key)}` }] as const);
  const schema = isBulk && bulkStatuses.has(status) ? { anyOf: [errorRef(key), bulkResult] } : errorRef(key);
  return {
    description: STATUS_CODES[status],
    headers: headersOf(headers),
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

/** undefined, which JSON leaves out, for none. */
function headersOf(headers: object): object | undefined {
  return Object.keys(headers).length === 0 ? undefined : headers;
}

/** Most routes have the same error responses: each is kept once, as "BadRequest" or "BadRequest2". */
function shareResponse(status: number, response: object, shared: Record<string, object>) {
  const words = String(STATUS_CODES[status]).replaceAll(/\W/g, "");
  let name = words;
  for (let n = 2; name in shared && !isDeepStrictEqual(shared[name], response); n++) name = `${words}${n}`;
  shared[name] = response;
  return { $ref: `#/components/responses/${name}` };
}
