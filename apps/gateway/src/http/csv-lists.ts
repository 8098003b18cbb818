import type { FastifyInstance } from "fastify";
import { Type, type TObject, type TProperties } from "typebox";
import { csvOf } from "./body/csv.ts";

type Values = Readonly<Record<string, unknown>>;

/** The lists of objects in a JSON response, by their schema. */
export function listsIn(response: unknown): Readonly<Record<string, TObject>> {
  const lists = Object.entries(propertiesOf(response)).flatMap(([name, schema]): [string, TObject][] =>
    Type.IsArray(schema) && Type.IsObject(schema.items) ? [[name, schema.items]] : [],
  );
  return Object.fromEntries(lists);
}

const propertiesOf = (schema: unknown): TProperties => (Type.IsObject(schema) ? schema.properties : {});

const choice = (names: string[], expected: string) => Type.Optional(Type.Enum(names, { expected }));

/** Lets later GET routes send a list of their response as CSV: `format=csv`, and `list` where there are several. Not by
 * the header Accept, which a link cannot set. */
export function addCsvLists(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { handler, method, schema = {} } = route;
    const lists = listsIn(Reflect.get(Object(schema.response), 200));
    const [first, ...others] = Object.keys(lists);
    if (first === undefined || (method !== "GET" && method !== "HEAD")) return;
    const [params, query] = [propertiesOf(schema.params), propertiesOf(schema.querystring)];
    const list = others.length > 0 && { list: choice([first, ...others], `the list in the CSV, by default ${first}`) };
    const querystring = { ...query, format: choice(["csv"], "csv; without it the response is JSON"), ...list };
    route.schema = { ...schema, querystring: Type.Object(querystring, { additionalProperties: false }) };
    route.handler = async function handleCsv(request, reply): Promise<unknown> {
      const { format, list: name = first, ...asked }: Values = Object(request.query);
      request.query = asked;
      const body: unknown = await handler.call(this, request, reply);
      const entry = lists[String(name)];
      // The reply itself: the request was rejected.
      if (format === undefined || entry === undefined || body === reply) return body;
      const shown: Values = Object(body);
      const choices = choicesIn(shown, entry.properties, Object.keys(params), Object.keys(query));
      const file = fileNameOf([decodeURIComponent(request.url.split("?", 1)[0] ?? ""), name === first ? "" : name], {
        asked,
        choices,
      });
      reply.header("content-disposition", `attachment; filename="${file}.csv"`);
      const csv = csvOf(entry, [shown[String(name)]].flat(), choices);
      return reply.type("text/csv; charset=utf-8").send(csv);
    };
  });
}

/** What a request has chosen, as its response shows it: `from` and `to` for "today". The name of what the path ends with is
 * `storeName` beside `storeID`, because entries have names too; `asked.itemID` where they have their own `itemID`. */
function choicesIn(shown: Values, own: Values, params: readonly string[], query: readonly string[]): Values {
  const column = (name: string) => (name in own ? `asked.${name}` : name);
  const values = (names: readonly string[]) => names.map((name) => [column(name), shown[name]] as const);
  const owner = [column(params.at(-1) ?? "").replace(/ID$/, "Name"), shown["name"]] as const;
  const all = [...values(params), owner, ...values([...query, "from", "to"])];
  // A list may have the name of a choice.
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && !Array.isArray(value)));
}

const ofPages = new Set(["limit", "offset", "after", "cursor"]);

/** "stores-7-top-items-20261126-netSales" */
function fileNameOf(start: readonly unknown[], { asked, choices }: Readonly<Record<"asked" | "choices", Values>>) {
  const chosen = Object.keys(asked).filter((name) => !ofPages.has(name));
  const words = [
    ...start,
    ...chosen.map((name) => choices[name] ?? choices[name === "date" ? "from" : ""] ?? asked[name]),
  ].join(" ");
  return words
    .replaceAll(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .slice(0, 100)
    .replaceAll(" ", "-");
}
