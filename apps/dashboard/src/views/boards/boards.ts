import type { View } from "@tally/contract";
import { fieldIn } from "@tally/contract/json";
import { compactDate, dashedDate } from "../../parts/format.ts";

/** A view of a domain, as GET /views has it. */
export type Board = View & { readonly domain: string };
export type Boards = { readonly views: readonly Board[] };

/** The views Stores and Items show the boards at these paths, and more beside them. */
export const owners = {
  stores: { one: "Store", param: "storeID", path: "/stores/{storeID}/top-items" },
  items: { one: "Item", param: "itemID", path: "/items/{itemID}/top-stores" },
} as const;

/** The boards with a separate page: all that domains describe, except those that Stores and Items show. */
export function boardsOf(views: readonly Board[]): readonly Board[] {
  return views.filter((view) => !Object.values(owners).some(({ path }) => isAt(path, view)));
}

/** Whether a board has this path, before its query. */
export const isAt = (path: string, board: Board): boolean => board.path.split("?", 1)[0] === path;

export type Values = Readonly<Record<string, string>>;

/** The values of a board's parameters: what the address has, else the defaults. Dates as "2026-11-20". */
export function valuesOf(board: Board, given: Values): Values {
  return Object.fromEntries(board.params.map(({ name, default: usual = "" }) => [name, given[name] ?? usual]));
}

/** With the values in place of the braces, without parts of the query that have none. The first and the last of several
 * dates, "2026-11-20..2026-11-26", are `from` and `to`. undefined: a value is missing. */
export function pathOf(board: Board, values: Values): string | undefined {
  const [path = "", search = ""] = board.path.split("?", 2);
  const filled = fill(path, (name) => textOf(board, name, values));
  const parts = search.split("&").flatMap((part) => fill(part, (name) => textOf(board, name, values)) ?? []);
  if (filled === undefined) return undefined;
  const query = parts
    .filter((part) => part !== "")
    .join("&")
    .replace(/\bdate=([^&]*)\.\.([^&]*)/, "from=$1&to=$2");
  return query === "" ? filled : `${filled}?${query}`;
}

/** undefined: a name has no value. */
function fill(text: string, valueOf: (name: string) => string): string | undefined {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => valueOf(name) === "")) return undefined;
  return text.replace(/\{(\w+)\}/g, (_braces, name: string) => encodeURIComponent(valueOf(name)));
}

function textOf(board: Board, name: string, values: Values): string {
  const value = values[name] ?? "";
  if (!board.params.some((param) => param.name === name && param.kind === "date")) return value;
  return value === "all" ? "" : compactDate(value);
}

/** A response in another form than the view describes has none. `name`: of a registered member; else empty. `count`: a
 * text is an amount. `image`: the path of a picture. */
export function entriesOf({ list, member, memberName = "", count, image }: Board, values: Values, body: unknown) {
  const entries = fieldIn(body, list);
  if (!Array.isArray(entries)) return [];
  const counted = fill(count.field, (name) => values[name] ?? "") ?? "";
  return entries.map((entry: unknown, index) => {
    const textIn = (name: string): string => {
      const value = fieldIn(entry, name);
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
    };
    const name = textIn(member.field);
    const found = fieldIn(entry, counted);
    return {
      key: name === "" ? String(index) : name,
      member: name,
      name: textIn(memberName),
      count: typeof found === "string" ? found : Number(found ?? 0),
      image: image === undefined ? undefined : fill(image, textIn),
    };
  });
}

/** "7 Berlin Mitte": an id, and a name where there is one. */
export const labelOf = (id: string | number, name = ""): string => (name === "" ? `${id}` : `${id} ${name}`);

/** The name of the store or the item of a ranking; undefined: it has none. */
export function nameIn(body: unknown): string | undefined {
  const name = fieldIn(body, "name");
  return typeof name === "string" ? name : undefined;
}

/** All values that a ranking was asked for, with a date for "today", without those that the path of the view has. */
export function chosenIn(body: unknown, values: Values, place: readonly string[]): Values {
  const date = fieldIn(body, "from");
  const isRelative = values["date"] === "today" || values["date"] === "yesterday";
  const day = isRelative && typeof date === "string" ? { date: dashedDate(date) } : {};
  return Object.fromEntries(Object.entries({ ...values, ...day }).filter(([, value]) => !place.includes(value)));
}

/** When a ranking's newest event was stored; undefined: the response does not have it. */
export function asOfIn(body: unknown): string | null | undefined {
  const asOf = fieldIn(body, "asOf");
  return typeof asOf === "string" || asOf === null ? asOf : undefined;
}
