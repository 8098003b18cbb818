import { STATUS_CODES } from "node:http";
import swagger from "@fastify/swagger";
import { domains } from "@tally/domains";
import fastify, { type FastifySchema } from "fastify";
import { catalogue, type ErrorCode } from "../../errors/catalogue.ts";
import type { Mount } from "../routes/domain-routes.ts";
import {
  authenticateHeader,
  bulkResult,
  componentsOf,
  errorRef,
  exampleOfError,
  examplesOf,
  keyParameter,
  rateHeaders,
  retryAfterHeader,
} from "./components.ts";
import { describeRoute, type RouteDescription, type Success } from "./describe-route.ts";
import type { ServedRoute } from "./documented.ts";
import { isRecord, type JsonSchema } from "./documented-schema.ts";
import { withoutRoute } from "./errors-of-route.ts";
import { generalRules } from "./general-rules.ts";
import { mountedRoutes } from "./mounted-routes.ts";
import { SharedResponses } from "./shared-responses.ts";

/** The parts of an OpenAPI document that code of tally reads. */
export interface ApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

export interface ApiOperation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: { readonly content: ApiContent };
  readonly responses: Readonly<Record<string, { readonly content?: ApiContent }>>;
  /** Absent: those of the document. */
  readonly servers?: ApiDocument["servers"];
}

interface ApiParameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
}

type ApiContent = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples?: JsonSchema }>>;

/**
 * The OpenAPI 3.1 document of routes. A Fastify instance that serves nothing collects them for @fastify/swagger, so that nothing of it is in the
 * server that takes events. About 50 ms.
 */
export async function apiDocument(routes: readonly ServedRoute[], mounts: readonly Mount[]): Promise<ApiDocument> {
  const mounted = mountedRoutes(routes, mounts);
  const described = new Map(
    mounted.map((one) => [operationId(one.served.method, one.path), { ...one, of: describeRoute(one.served) }]),
  );
  const serversOf = (prefixes: readonly string[]) => prefixes.map((prefix) => ({ url: prefix === "" ? "/" : prefix }));
  const all = serversOf(mounts.map(({ prefix }) => prefix));

  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  await app.register(swagger, {
    stripBasePath: false,
    openapi: {
      openapi: "3.1.0",
      info: { title: "tally", version: "0.1.0", description: generalRules },
      servers: all,
      tags: [
        ...domains.map(({ name, description }) => ({ name, description })),
        { name: "system", description: "The state of events and of the system." },
      ],
      // @fastify/swagger has the types of OpenAPI 3.0 for some parts.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      components: componentsOf(withoutRoute) as object,
    },
  });
  for (const [id, { path, served, of }] of described) {
    app.route({ method: served.method, url: path, schema: swaggerSchema(id, served, of), handler: () => undefined });
  }
  await app.ready();
  const document: unknown = app.swagger();
  await app.close();

  const shared = new SharedResponses();
  // What @fastify/swagger cannot express: references in responses, and servers of one operation.
  const operations =
    isRecord(document) && isRecord(document["paths"]) ? Object.values(document["paths"]).filter(isRecord) : [];
  for (const operation of operations.flatMap((item) => Object.values(item).filter(isRecord))) {
    const one = described.get(String(operation["operationId"]));
    if (one === undefined) continue;
    const isEverywhere = one.prefixes.length === mounts.length;
    Object.assign(
      operation,
      { responses: responsesOf(one.of, one.served, shared) },
      isEverywhere ? {} : { servers: serversOf(one.prefixes) },
    );
  }
  const components = isRecord(document) && isRecord(document["components"]) ? document["components"] : {};
  Object.assign(components, {
    responses: { ...shared.all(), ...(isRecord(components["responses"]) ? components["responses"] : {}) },
  });
  // The library returns OpenAPI; the fields of ApiDocument are required by it or set above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(JSON.stringify(document)) as ApiDocument;
}

// "GET /items/top5/:itemID" → "getItemsTop5ItemID".
function operationId(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** The parts that @fastify/swagger turns into an operation: params, query, headers and body with their examples. */
function swaggerSchema(id: string, { access }: ServedRoute, of: RouteDescription): FastifySchema {
  const { tag, summary, description, params, query, requests, takesKey, body } = of;
  const valuesOf = (part: "params" | "query") =>
    Object.entries(requests).map(([name, request]) => [name, request[part] ?? {}] as const);
  const keys = Object.entries(requests).map(
    ([name, { idempotencyKey }]) => [name, { "Idempotency-Key": idempotencyKey }] as const,
  );
  const scopes = typeof access === "string" ? [] : [`${access.domain}:${access.action}`];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description: `${description}.` }),
    security: access === "open" ? [] : [{ bearer: scopes }, { apiKey: scopes }],
    params: withExamples(params, valuesOf("params")),
    querystring: withExamples(query, valuesOf("query")),
    ...(takesKey
      ? { headers: withExamples({ type: "object", properties: { "Idempotency-Key": keyParameter } }, keys) }
      : {}),
    ...(body === undefined
      ? {}
      : {
          body: {
            content: Object.fromEntries(
              Object.entries(body).map(([type, { schema, examples }]) => [
                type,
                { schema: { ...schema, "x-examples": examplesOf(examples) } },
              ]),
            ),
          },
        }),
  };
}

/** The schema of params or a query, with the examples of each value. */
function withExamples(schema: JsonSchema, requests: readonly (readonly [name: string, values: unknown])[]): JsonSchema {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const shown = Object.entries(properties).map(([name, property]) => {
    const values = requests.flatMap(([request, all]) => {
      const value = isRecord(all) ? all[name] : undefined;
      return value === undefined ? [] : [[request, value] as const];
    });
    const examples = values.length === 0 ? {} : { "x-examples": examplesOf(Object.fromEntries(values)) };
    return [name, { ...(isRecord(property) ? property : {}), ...examples }] as const;
  });
  return { ...schema, properties: Object.fromEntries(shown) };
}

function responsesOf(
  { successes, errors, errorKey }: RouteDescription,
  { access, documented }: ServedRoute,
  shared: SharedResponses,
) {
  const isBulk = "domain" in documented && documented.route.kind === "bulk";
  const limited = access === "open" ? {} : rateHeaders;
  const byStatus = Map.groupBy(errors, (code) => catalogue[code][0]);
  return {
    ...Object.fromEntries(Object.entries(successes).map(([status, success]) => [status, responseOf(success, limited)])),
    ...Object.fromEntries(
      Array.from(byStatus, ([status, codes]) => [
        status,
        shared.refOf(status, errorResponse(status, codes, errorKey, isBulk && bulkStatuses.has(status))),
      ]),
    ),
  };
}

// The statuses that all entries of a bulk request may have.
const bulkStatuses: ReadonlySet<number> = new Set([400, 403, 422, 503]);

function responseOf({ description, headers, content }: Success, limited: Readonly<Record<string, unknown>>) {
  const media = Object.entries(content ?? {}).map(([type, { schema, examples }]) => {
    return [
      type,
      { schema, ...(Object.keys(examples).length === 0 ? {} : { examples: examplesOf(examples) }) },
    ] as const;
  });
  const fields = { ...headers, ...limited };
  return {
    description,
    ...(Object.keys(fields).length === 0 ? {} : { headers: fields }),
    ...(media.length === 0 ? {} : { content: Object.fromEntries(media) }),
  };
}

function errorResponse(status: number, codes: readonly ErrorCode[], key: "message" | "msg", hasResults: boolean) {
  const isLater = codes.some((code) => catalogue[code].length > 2);
  const headers = {
    ...(isLater ? retryAfterHeader : {}),
    ...(status === 429 ? rateHeaders : {}),
    ...(status === 401 || status === 403 ? authenticateHeader : {}),
  };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${exampleOfError(code, key)}` }] as const);
  return {
    description: STATUS_CODES[status] ?? "an error",
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      "application/json": {
        schema: hasResults ? { anyOf: [errorRef(key), bulkResult] } : errorRef(key),
        examples: Object.fromEntries(examples),
      },
    },
  };
}
