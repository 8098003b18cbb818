import { Validator } from "@seriousme/openapi-schema-validator";
import { objectOf, type HttpResponse } from "./raw-connection.ts";

/* What GET /openapi.json says: its examples as requests, and which responses it documents. */

/** An OpenAPI document without references, as far as tests need it. */
export interface ReferenceDocument {
  readonly servers: Servers;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

type Servers = readonly { readonly url: string }[];

interface Operation {
  /** Absent: those of the document. */
  readonly servers?: Servers;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface Parameter extends Shown {
  readonly in: "path" | "query" | "header";
  readonly name: string;
}

interface DocumentedResponse {
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, Shown & { readonly required?: boolean }>>;
}

type Content = Readonly<Record<string, Shown>>;

interface Shown {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** GET /openapi.json with its references resolved. Throws for an invalid document. */
export async function referenceOf(url: string): Promise<ReferenceDocument> {
  const served: unknown = await (await fetch(`${url}/openapi.json`)).json();
  const validator = new Validator();
  const result = await validator.validate({ ...Object(served) });
  if (!result.valid) throw new Error(`${url}/openapi.json: ${JSON.stringify(result.errors)}`);
  // Valid OpenAPI; tests read fields that tally's document has.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return validator.resolveRefs() as unknown as ReferenceDocument;
}

/** One example as it is sent. `status`: what the document says that it gets. */
export interface ExampleRequest {
  /** Such as "GET /stores/{storeID}/top-items: one day". */
  readonly name: string;
  /** The name of the example alone; "" for a request without values. */
  readonly example: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
  readonly status: string;
  readonly response: DocumentedResponse;
}

/** Every example of every operation, with each media type of its body. */
export function exampleRequests({ paths }: ReferenceDocument): readonly ExampleRequest[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => requestsOf(method.toUpperCase(), path, operation)),
  );
}

function requestsOf(method: string, path: string, operation: Operation): readonly ExampleRequest[] {
  const { parameters = [], requestBody, responses } = operation;
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const shown = successes.map(([, response]) => [
    ...Object.values(response.content ?? {}),
    ...Object.values(response.headers ?? {}),
  ]);
  const all = [...parameters, ...Object.values(requestBody?.content ?? {}), ...shown.flat()];
  const named = new Set(all.flatMap(({ examples }) => Object.keys(examples ?? {})));
  // Without examples: it has no values, or it needs something that no example brings, such as a dead letter.
  const examples = named.size > 0 ? [...named] : parameters.length === 0 && method === "GET" ? [""] : [];
  return examples.flatMap((example) => {
    const valuesOf = (place: Parameter["in"]) =>
      parameters.flatMap((one): [string, string][] => {
        const value = one.examples?.[example]?.value;
        const isGiven = one.in === place && (typeof value === "string" || typeof value === "number");
        return isGiven ? [[one.name, `${value}`]] : [];
      });
    const inPath = new Map(valuesOf("path"));
    const query = new URLSearchParams(valuesOf("query")).toString();
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ""));
    const at = shown.findIndex((one) => one.some(({ examples: of }) => of !== undefined && example in of));
    const [status = "", response = {}] = successes[Math.max(0, at)] ?? [];
    return bodiesOf(requestBody?.content, example).map(({ type, body }) => ({
      name: `${method} ${path}: ${[example, type].filter((text) => text !== "").join(", as ")}`,
      example,
      method,
      path: query === "" ? filled : `${filled}?${query}`,
      // The boundary of a form belongs to its type.
      headers: { ...Object.fromEntries(valuesOf("header")), ...(typeof body === "string" && { "content-type": type }) },
      body,
      status,
      response,
    }));
  });
}

function bodiesOf(content: Content | undefined, example: string) {
  if (content === undefined) return [{ type: "", body: undefined }];
  return Object.entries(content).map(([type, { examples }]) => {
    const value = examples?.[example]?.value;
    if (type === "multipart/form-data") return { type, body: formOf(value) };
    return { type, body: typeof value === "string" ? value : JSON.stringify(value) };
  });
}

/** Texts become files of these bytes, objects become JSON. */
function formOf(parts: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(typeof parts === "object" && parts !== null ? parts : {})) {
    if (typeof value === "string") form.append(name, new Blob([value]), name);
    else form.append(name, JSON.stringify(value));
  }
  return form;
}

/**
 * What the document does not say about the response to one request: its status, or its error. undefined: nothing, or
 * the request has no route, or the whole could not be read as one request.
 */
export function undocumentedIn(document: ReferenceDocument, sent: Buffer, response: HttpResponse): string | undefined {
  const [, method = "", target = ""] = /^([A-Z]+) (\/\S*) HTTP\/1\.1\r\n/.exec(sent.toString("latin1")) ?? [];
  const path = `${target.split(/[?#]/, 1).join()}/`.replaceAll(/\/{2,}/g, "/").slice(0, -1);
  const responses = responsesOf(document, method === "HEAD" ? "get" : method.toLowerCase(), path);
  if (responses === undefined) return undefined;
  const { status } = response;
  const documented = responses[String(status)];
  if (documented === undefined) return `${method} ${path}: status ${status}`;
  const fields = objectOf(response);
  const message = fields?.["message"] ?? fields?.["msg"];
  if (status < 400 || typeof message !== "string") return undefined;
  const templates = Object.values(documented.content?.["application/json"]?.examples ?? {}).map(({ value }) => value);
  const isKnown = templates.some((template) => patternOf(template).test(JSON.stringify(fields)));
  return isKnown ? undefined : `${method} ${path}: ${status} ${message}`;
}

function responsesOf({ servers, paths }: ReferenceDocument, method: string, path: string) {
  // Static segments win over parameters.
  const sorted = Object.entries(paths).toSorted(([a], [b]) => a.split("{").length - b.split("{").length);
  for (const [template, { [method]: operation }] of sorted) {
    if (operation === undefined) continue;
    const prefixes = (operation.servers ?? servers).map(({ url }) => (url === "/" ? "" : url)).join("|");
    const pattern = template.replaceAll(/\{\w+\}/g, "[^/]+");
    if (new RegExp(`^(?:${prefixes})${pattern}$`).test(path)) return operation.responses;
  }
  return undefined;
}

/** The body of an error: names in braces stand for any text. */
function patternOf(template: unknown): RegExp {
  const escaped = JSON.stringify(template).replaceAll(/[\\^$.*+?()[\]|/-]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, "[^]*").replaceAll(/[{}]/g, String.raw`\$&`)}$`);
}
