import { readFileSync } from "node:fs";
import { domains } from "@tally/domains";
import type { BulkRoute, ContentRoute, Event, FormRoute, IngestRoute, QueryRoute } from "@tally/pipeline";
import type { TObject, TSchema } from "typebox";
import { describe, expect, test } from "vitest";
import { catalogue } from "./errors/catalogue.ts";

/* The tables of docs/http.md follow from the code. Where one differs, the failure shows the rows as they must be. */

const sections = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8").split(/^(?=#{2,3} )/m);

/** The first `columns` cells of each row of the first table below a heading, without its head. */
function tableBelow(heading: string, columns: number): readonly (readonly string[])[] {
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, columns + 1)
      .map((cell) => cell.trim()),
  );
}

test("docs/http.md lists every error of the catalogue, and no other", () => {
  const expected = Object.entries(catalogue).map(([code, [status, message, retryAfterSeconds]]) => [
    `\`${code}\``,
    String(status),
    `\`${message}\``,
    retryAfterSeconds === undefined ? "" : `${retryAfterSeconds} s`,
  ]);
  expect(tableBelow("## Errors", 4)).toEqual(expected);
});

describe("docs/http.md lists every route of", () => {
  test.each(domains.map((domain) => [domain.name, domain] as const))("%s", (name, { routes, queries }) => {
    expect(tableBelow(`### ${name}`, 3)).toEqual([...routes, ...queries].map(rowOf));
  });

  test("no other domain", () => {
    const start = sections.findIndex((one) => one.startsWith("## Routes\n"));
    const end = sections.findIndex((one, at) => at > start && one.startsWith("## "));
    const names = sections.slice(start + 1, end).map((one) => one.slice("### ".length, one.indexOf("\n")));
    expect(names).toEqual(domains.map(({ name }) => name));
  });
});

type Route = IngestRoute<Event> | FormRoute<Event> | BulkRoute<Event> | QueryRoute | ContentRoute;

/** Method and path, body, response. */
function rowOf(route: Route): readonly string[] {
  const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
  switch (route.kind) {
    case "ingest":
      return [
        `\`POST ${path}\``,
        route.body === "ignored" ? "any or none, ignored" : `\`${shapeOf(route.body)}\``,
        `${route.status}, ${route.text === undefined ? "empty" : "text"}`,
      ];
    case "form":
      return [`\`POST ${path}\``, "`multipart/form-data`", `${route.status}, \`${shapeOf(route.response)}\``];
    case "bulk":
      return [
        `\`POST ${path}\``,
        `1 to ${route.entriesMax} of \`${shapeOf(route.entry)}\``,
        '`{"accepted","refused","results":[{"index","status","id"} or {"index","status","error"}]}`',
      ];
    case "query":
      return [
        `\`GET ${path}${queryOf(route.query)}\``,
        "",
        `200, ${route.as === "text" ? "text: " : ""}\`${shapeOf(route.response)}\``,
      ];
    case "content":
      return [`\`GET ${path}\``, "", "200, bytes"];
  }
}

/** As "?resort=[&season=]": optional parameters are in brackets. */
function queryOf(query: TObject): string {
  const isRequired = requiredIn(query);
  const names = Object.keys(query.properties);
  const required = names.filter(isRequired).map((name) => `${name}=`);
  const optional = names.filter((name) => !isRequired(name)).map((name) => `${name}=`);
  const start = required.length === 0 ? "?" : "&";
  return (
    (required.length === 0 ? "" : `?${required.join("&")}`) +
    (optional.length === 0 ? "" : `[${start}${optional.join("&")}]`)
  );
}

/** As {"items":[{"ItemID","numberOfItems"?}]}: optional fields end with "?". Fields with scalar values have no type. */
function shapeOf(schema: TSchema): string {
  const properties: unknown = Reflect.get(schema, "properties");
  if (typeof properties === "object" && properties !== null) {
    const isRequired = requiredIn(schema);
    const fields = Object.entries(properties).map(([name, field]) => {
      const shape = isSchema(field) ? shapeOf(field) : "";
      return `"${name}"${isRequired(name) ? "" : "?"}${/^[[{]/.test(shape) ? `:${shape}` : ""}`;
    });
    return `{${fields.join(",")}}`;
  }
  const items: unknown = Reflect.get(schema, "items");
  return isSchema(items) ? `[${shapeOf(items)}]` : String(Reflect.get(schema, "type"));
}

function requiredIn(schema: TSchema): (name: string) => boolean {
  const required: unknown = Reflect.get(schema, "required");
  return (name) => Array.isArray(required) && required.includes(name);
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === "object" && value !== null;
}
