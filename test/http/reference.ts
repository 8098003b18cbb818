import { Validator } from "@seriousme/openapi-schema-validator";
import { objectOf, type HttpResponse } from "./raw-connection.ts";

/* Which responses GET /openapi.json documents. */

/** An OpenAPI document without references, as far as tests need it. */
export interface ReferenceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly parameters?: readonly (Shown & { readonly in: "path" | "query" | "header"; readonly name: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export type Content = Readonly<Record<string, Shown>>;

interface Shown {
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

/** What the document does not say about the response to one request: its status, or its error. undefined: nothing, or
 * the request has no route, or the whole could not be read as one request. */
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

function responsesOf({ paths }: ReferenceDocument, method: string, path: string) {
  // Static segments win over parameters.
  const sorted = Object.entries(paths).toSorted(([a], [b]) => a.split("{").length - b.split("{").length);
  for (const [template, { [method]: operation }] of sorted) {
    if (operation === undefined) continue;
    if (new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path)) return operation.responses;
  }
  return undefined;
}

/** The body of an error: names in braces stand for any text. */
function patternOf(template: unknown): RegExp {
  const escaped = JSON.stringify(template).replaceAll(/[\\^$.*+?()[\]|/-]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, "[^]*").replaceAll(/[{}]/g, String.raw`\$&`)}$`);
}
