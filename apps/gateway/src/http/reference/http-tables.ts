import { catalogue } from "../../errors/catalogue.ts";
import type { ApiDocument, ApiOperation } from "./api-document.ts";
import { isRecord, type JsonSchema } from "./documented-schema.ts";

const head = ["request", "body", "response", "meaning"];

/** docs/http.md with the tables of a document, under the same headings; a new domain gets a heading. All other text stays. */
export function withTables(text: string, document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const rowsOf = (tag: string) =>
    operations
      .filter(({ operation }) => operation.tags.includes(tag))
      .map(({ method, path, operation }) => rowOf(method, path, operation));
  const domains = document.tags.map(({ name }) => name).filter((name) => name !== "system");
  let result = replaceTable(text, "## Routes", [head, ...rowsOf("system")]);
  for (const name of domains) {
    const heading = `### ${name}`;
    // The chapter after the routes.
    if (!result.includes(`\n${heading}\n`))
      result = result.replace("\n## Idempotency-Key\n", `\n${heading}\n\n| |\n\n## Idempotency-Key\n`);
    result = replaceTable(result, heading, [head, ...rowsOf(name)]);
  }
  return replaceTable(result, "## Errors", [["code", "status", "message", "again after"], ...errorRows()]);
}

/** Replaces the first table below a heading. Throws if there is none. */
function replaceTable(text: string, heading: string, rows: readonly (readonly string[])[]): string {
  const start = text.indexOf(`\n${heading}\n`);
  const first = start < 0 ? -1 : text.indexOf("\n|", start);
  if (first < 0) throw new Error(`docs/http.md: expected the heading ${heading} and a table below it`);
  const after = /\n(?!\|)/g;
  after.lastIndex = first + 1;
  const end = after.exec(text)?.index ?? text.length;
  const [columns = [], ...others] = rows;
  const lines = [columns, columns.map(() => "---"), ...others].map((cells) => `| ${cells.join(" | ")} |`);
  return `${text.slice(0, first + 1)}${lines.join("\n")}${text.slice(end)}`;
}

function errorRows(): readonly (readonly string[])[] {
  return Object.entries(catalogue).map(([code, [status, message, retryAfterSeconds]]) => [
    `\`${code}\``,
    String(status),
    `\`${message}\``,
    retryAfterSeconds === undefined ? "" : `${retryAfterSeconds} s`,
  ]);
}

function rowOf(method: string, path: string, operation: ApiOperation): readonly string[] {
  const { summary, description } = operation;
  const meaning = description === undefined ? summary : `${summary}. ${description.replace(/\.$/, "")}`;
  const body = method === "GET" ? "" : bodyOf(operation);
  return [`\`${method} ${path}${queryOf(operation)}\``, body, responseOf(operation), meaning.replaceAll("|", "\\|")];
}

function bodyOf({ requestBody }: ApiOperation): string {
  if (requestBody === undefined) return "any or none, ignored";
  const { "application/json": json } = requestBody.content;
  if (json === undefined)
    return Object.keys(requestBody.content)
      .map((type) => `\`${type}\``)
      .join(" or ");
  const { minItems, maxItems, items } = json.schema;
  return typeof minItems === "number" && typeof maxItems === "number"
    ? `${minItems} to ${maxItems} of \`${shapeOf(items)}\``
    : `\`${shapeOf(json.schema)}\``;
}

function responseOf({ responses }: ApiOperation): string {
  const statuses = Object.keys(responses).filter((status) => status.startsWith("2"));
  const content = Object.entries(responses[statuses[0] ?? ""]?.content ?? {});
  const [type = "", media] = content[0] ?? [];
  return `${statuses.join(" or ")}, ${shownBody(type, media?.schema)}`;
}

function shownBody(type: string, schema: JsonSchema | undefined): string {
  if (schema === undefined) return "empty";
  if (schema["format"] === "binary") return "bytes";
  if (type === "text/plain") return schema["type"] === "string" ? "text" : `text: \`${shapeOf(schema)}\``;
  if (type !== "application/json") return `\`${type}\``;
  return Object.keys(schema).length === 0 ? "JSON" : `\`${shapeOf(schema)}\``;
}

/** As "?resort=[&season=]": optional parameters are in brackets. */
function queryOf({ parameters = [] }: ApiOperation): string {
  const queries = parameters.filter((one) => one.in === "query");
  const required = queries.filter((one) => one.required === true).map(({ name }) => `${name}=`);
  const optional = queries.filter((one) => one.required !== true).map(({ name }) => `${name}=`);
  const start = required.length === 0 ? "?" : "&";
  return (
    (required.length === 0 ? "" : `?${required.join("&")}`) +
    (optional.length === 0 ? "" : `[${start}${optional.join("&")}]`)
  );
}

// Longer ones would make a table unreadable.
const shapeCharactersMax = 200;

/** As {"items":[{"ItemID","numberOfItems"?}]}: optional fields end with "?". Fields with scalar values have no type. A long one has no inner fields. */
function shapeOf(schema: unknown): string {
  const shape = fullShapeOf(schema);
  return shape.length <= shapeCharactersMax ? shape : fullShapeOf(schema, "");
}

function fullShapeOf(schema: unknown, inner?: ""): string {
  if (!isRecord(schema)) return "value";
  const { properties, required, items, anyOf, type } = schema;
  if (isRecord(properties)) {
    const fields = Object.entries(properties).map(([name, field]) => {
      const isRequired = Array.isArray(required) && required.includes(name);
      const shape = inner ?? fullShapeOf(field);
      return `"${name}"${isRequired ? "" : "?"}${/^[[{]/.test(shape) ? `:${shape}` : ""}`;
    });
    return `{${fields.join(",")}}`;
  }
  if (items !== undefined) return `[${fullShapeOf(items, inner)}]`;
  if (Array.isArray(anyOf) && anyOf.some((one) => isRecord(one) && isRecord(one["properties"]))) {
    return anyOf.map((one) => fullShapeOf(one, inner)).join(" or ");
  }
  return String(type);
}
