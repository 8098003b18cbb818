import { objectOf, type HttpResponse } from "./read-responses.ts";

/** An OpenAPI document, with its references resolved, as far as errors need it. */
export interface ErrorDocument {
  readonly servers: Servers;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

type Servers = readonly { readonly url: string }[];

interface Operation {
  /** Absent: those of the document. */
  readonly servers?: Servers;
  readonly responses: Responses;
}

type Responses = Readonly<
  Record<string, { readonly content?: Readonly<Record<string, { readonly examples?: Examples }>> }>
>;
type Examples = Readonly<Record<string, { readonly value: unknown }>>;

/**
 * What the document does not say about the response to one request: its status, or its error. undefined: nothing, or the request has no
 * route, or the whole could not be read as one request.
 */
export function undocumentedIn(document: ErrorDocument, request: Buffer, response: HttpResponse): string | undefined {
  const [, method = "", target = ""] = /^([A-Z]+) (\/\S*) HTTP\/1\.1\r\n/.exec(request.toString("latin1")) ?? [];
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
  return templates.some((template) => patternOf(template).test(JSON.stringify(fields)))
    ? undefined
    : `${method} ${path}: ${status} ${message}`;
}

function responsesOf({ servers, paths }: ErrorDocument, method: string, path: string): Responses | undefined {
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
