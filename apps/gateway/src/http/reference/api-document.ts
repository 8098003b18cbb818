import { STATUS_CODES } from "node:http";
import { IdempotencyKey } from "@tally/contract";
import { domains } from "@tally/domains";
import { catalogue, type ErrorCode } from "../../errors/catalogue.ts";
import type { Mount } from "../routes/domain-routes.ts";
import { authenticateHeader, componentsOf, errorRef, exampleOfError, rateHeaders } from "./components.ts";
import { documentedSchema, isRecord, type JsonSchema, type ServedRoute } from "./documented.ts";
import { errorsOf } from "./errors-of-route.ts";
import { bulkResult, examplesOf, partsOf, retryAfterHeader, type RouteParts } from "./route-parts.ts";

/** The parts of an OpenAPI document that code of tally reads. */
export interface ApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

interface ApiOperation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly examples?: JsonSchema }>> }>
  >;
  /** Absent: those of the document. */
  readonly servers?: ApiDocument["servers"];
}

/** What holds for all routes (CommonMark). */
const generalRules = `\
tally takes events, stores each exactly once, and keeps live rankings that equal the rows.

- **Values.** Every value of a request may be a text or a number: \`"7"\`, \`"007"\` and \`7\` are equal.
- **Retries.** Give each event an \`Idempotency-Key\`, and send each retry with the same one: it is then the same event. 503 and 429 carry
  \`Retry-After\`. The same key with other content is 422.
- **Errors** are JSON with one sentence, which names the field, what was expected, and what the gateway received. The names of the examples
  are the codes of the errors, which the metrics have too. Names in braces stand for values.
- **Requests without a route** get 404 (\`PATH_NOT_FOUND\`) or 405 with \`Allow\` (\`METHOD_NOT_ALLOWED\`, \`CONNECT\`), see the responses below
  \`components\`.
- **Bodies** may be compressed (\`Content-Encoding: gzip\`, \`br\` or \`zstd\`); larger responses are, for clients that accept it. JSON needs no
  \`Content-Type\`. A POST that shows no body ignores any.
- **HEAD** is accepted wherever GET is. A slash at the end of a path, or two in a row, make no difference.
- **API keys** are not needed where the gateway runs with \`AUTH=off\`, as \`pnpm dev\` does. There a POST that a browser sends for a page of
  another site is 403. The gateway sends no CORS headers: pages of other sites cannot read it, and cannot send it a key.
- **Rankings** have the highest count first, and equal counts by the smaller id. \`asOf\` is the time of the newest event that a ranking
  counts; null: it counts none.
`;

/**
 * The OpenAPI 3.1 document of routes, as JSON. Routes with the same path below different prefixes are one operation.
 */
export function apiDocument(routes: readonly ServedRoute[], mounts: readonly Mount[]): string {
  const merged = new Map<string, { path: string; route: ServedRoute; prefixes: string[] }>();
  for (const route of routes) {
    const { path, prefix } = placeOf(route, mounts);
    const known = merged.get(`${route.method} ${path}`);
    if (known === undefined) merged.set(`${route.method} ${path}`, { path, route, prefixes: [prefix] });
    else known.prefixes.push(prefix);
  }
  const shared = new SharedResponses();
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, route, prefixes } of merged.values()) {
    const servers = prefixes.length === mounts.length ? {} : { servers: serversOf(prefixes) };
    const item = (paths[path.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    item[route.method.toLowerCase()] = { ...operationOf(path, route, shared), ...servers };
  }
  const system = { name: "system", description: "The state of events and of the system." };
  const components = componentsOf();
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "tally", version: "0.1.0", description: generalRules },
    servers: serversOf(mounts.map(({ prefix }) => prefix)),
    tags: [...domains.map(({ name, description }) => ({ name, description })), system],
    components: { ...components, responses: { ...shared.all, ...components.responses } },
    paths,
  });
}

function placeOf({ method, url, documented }: ServedRoute, mounts: readonly Mount[]) {
  const mounted = "domain" in documented ? documented.route : documented;
  const short = "pathUnderBase" in mounted ? mounted.pathUnderBase : undefined;
  for (const path of short === undefined ? [mounted.path] : [mounted.path, short]) {
    const mount = mounts.find(({ prefix }) => prefix + path === url);
    if (mount !== undefined) return { path, prefix: mount.prefix };
  }
  throw new RangeError(`${method} ${url}: expected a base path before ${mounted.path}`);
}

function serversOf(prefixes: readonly string[]) {
  return prefixes.map((prefix) => ({ url: prefix === "" ? "/" : prefix }));
}

function operationOf(path: string, route: ServedRoute, shared: SharedResponses): object {
  const { method, access, documented } = route;
  const { summary, description } = "domain" in documented ? documented.route : documented;
  const parts = partsOf(route);
  const parameters = parametersOf(parts);
  const scopes = typeof access === "string" ? [] : [`${access.domain}:${access.action}`];
  return {
    operationId: operationId(method, path),
    summary,
    tags: ["domain" in documented ? documented.domain.name : "system"],
    ...(description === undefined ? {} : { description: `${description}.` }),
    ...(parts.body === undefined ? {} : { requestBody: { required: true, content: parts.body } }),
    ...(parameters.length === 0 ? {} : { parameters }),
    security: access === "open" ? [] : [{ bearer: scopes }, { apiKey: scopes }],
    responses: responsesOf(parts, route, shared),
  };
}

// "GET /items/top5/:itemID" → "getItemsTop5ItemID".
function operationId(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

const keyName = "Idempotency-Key";
const keyDescription = "The same for each retry of an event: 1 to 255 visible ASCII characters, such as a random UUID";
const Key = { ...documentedSchema(IdempotencyKey), description: keyDescription };

function parametersOf({ params, query, requests, takesKey }: RouteParts): readonly object[] {
  const headers = takesKey === true ? { properties: { [keyName]: Key } } : undefined;
  return [
    ...parametersIn("query", query, (name) => valuesOf(requests, ({ query: values }) => values, name)),
    ...parametersIn("path", params, (name) => valuesOf(requests, ({ params: values }) => values, name)),
    ...parametersIn("header", headers, () =>
      valuesOf(requests, ({ idempotencyKey }) => ({ [keyName]: idempotencyKey }), keyName),
    ),
  ];
}

/** The value of one parameter in each example request. */
function valuesOf(
  requests: RouteParts["requests"],
  part: (request: RouteParts["requests"][string]) => unknown,
  name: string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(requests).map(([request, all]) => {
      const values = part(all);
      return [request, isRecord(values) ? values[name] : undefined];
    }),
  );
}

/** The properties of a schema as parameters. */
function parametersIn(
  place: "query" | "path" | "header",
  schema: unknown,
  examples: (name: string) => Readonly<Record<string, unknown>>,
): readonly object[] {
  const { properties, required } = documentedSchema(schema);
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...own } = isRecord(property) ? property : {};
    const isRequired = place === "path" || (Array.isArray(required) && required.includes(name));
    const { examples: shown } = examplesOf(examples(name));
    return { name, in: place, required: isRequired, schema: own, examples: shown, description };
  });
}

// The statuses that all entries of a bulk request may have.
const bulkStatuses: ReadonlySet<number> = new Set([400, 403, 422, 503]);

function responsesOf({ successes }: RouteParts, route: ServedRoute, shared: SharedResponses): object {
  const { access, documented } = route;
  const isBulk = "domain" in documented && documented.route.kind === "bulk";
  const key = "domain" in documented ? documented.domain.errorKey : "message";
  const limited = access === "open" ? {} : rateHeaders;
  const ofSuccess = Object.entries(successes).map(([status, { description, headers, content }]) => {
    const response = { description, headers: headersOf({ ...headers, ...limited }), content };
    return [status, response] as const;
  });
  const byStatus = Map.groupBy(errorsOf(route), (code) => catalogue[code][0]);
  const ofErrors = Array.from(byStatus, ([status, codes]) => {
    const response = errorResponse(status, codes, key, isBulk && bulkStatuses.has(status));
    return [status, shared.refOf(status, response)] as const;
  });
  return Object.fromEntries([...ofSuccess, ...ofErrors]);
}

function errorResponse(status: number, codes: readonly ErrorCode[], key: "message" | "msg", hasResults: boolean) {
  const isLater = codes.some((code) => catalogue[code].length > 2);
  const headers = {
    ...(isLater ? retryAfterHeader : {}),
    ...(status === 429 ? rateHeaders : {}),
    ...(status === 401 || status === 403 ? authenticateHeader : {}),
  };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${exampleOfError(code, key)}` }] as const);
  const schema = hasResults ? { anyOf: [errorRef(key), bulkResult] } : errorRef(key);
  return {
    description: STATUS_CODES[status] ?? "an error",
    headers: headersOf(headers),
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

/** undefined, which JSON leaves out, for none. */
function headersOf(headers: object): object | undefined {
  return Object.keys(headers).length === 0 ? undefined : headers;
}

/**
 * Error responses, each once: most routes have the same ones. Named by their status, as "BadRequest" and "BadRequest2".
 */
class SharedResponses {
  readonly all: Record<string, object> = {};
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  refOf(status: number, response: object): { readonly $ref: string } {
    const text = JSON.stringify(response);
    const name = this.#names.get(text) ?? this.#newName(status);
    this.#names.set(text, name);
    this.all[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  #newName(status: number): string {
    const words = (STATUS_CODES[status] ?? String(status)).replaceAll(/\W/g, "");
    const count = (this.#counts.get(words) ?? 0) + 1;
    this.#counts.set(words, count);
    return count === 1 ? words : `${words}${count}`;
  }
}
