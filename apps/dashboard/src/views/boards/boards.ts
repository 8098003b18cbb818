import type { View } from "@tally/contract";
import { compactDate, today } from "../../parts/format.ts";

/** A view of a domain, as GET /views has it. */
export type Board = View & { readonly domain: string };
export type Boards = { readonly views: readonly Board[] };

// The views Stores and Items show these routes, and more beside them.
const shownElsewhere = new Set(["/stores/{storeID}/top-items", "/items/{itemID}/top-stores"]);

/** The boards with a separate page: all that domains describe, except those that Stores and Items show. */
export function boardsOf(views: readonly Board[]): readonly Board[] {
  return views.filter(({ path }) => !shownElsewhere.has(path.split("?", 1)[0] ?? ""));
}

/** The values of a board's parameters: what the address has, else the defaults. Dates as "2026-11-20". */
export function valuesOf(board: Board, given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    board.params.map(({ name, kind, default: usual = "" }) => [
      name,
      given[name] ?? (kind === "date" && usual === "today" ? today() : usual),
    ]),
  );
}

/** With the values in place of the braces, without parts of the query that have none. undefined: one is missing. */
export function pathOf(board: Board, values: Readonly<Record<string, string>>): string | undefined {
  const [path = "", search = ""] = board.path.split("?", 2);
  const filled = fill(path, (name) => textOf(board, name, values));
  const parts = search.split("&").flatMap((part) => fill(part, (name) => textOf(board, name, values)) ?? []);
  if (filled === undefined) return undefined;
  const query = parts.filter((part) => part !== "").join("&");
  return query === "" ? filled : `${filled}?${query}`;
}

/** undefined: a name has no value. */
function fill(text: string, valueOf: (name: string) => string): string | undefined {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.some((name) => valueOf(name) === "")) return undefined;
  return text.replace(/\{(\w+)\}/g, (_braces, name: string) => encodeURIComponent(valueOf(name)));
}

function textOf(board: Board, name: string, values: Readonly<Record<string, string>>): string {
  const value = values[name] ?? "";
  return board.params.some((param) => param.name === name && param.kind === "date") ? compactDate(value) : value;
}

export interface BoardEntry {
  readonly key: string;
  readonly member: string;
  readonly count: number;
  /** The path of a picture. */
  readonly image: string | undefined;
}

/** A response in another form than the view describes has none. */
export function entriesOf({ list, member, count, image }: Board, body: unknown): readonly BoardEntry[] {
  const entries = fieldOf(body, list);
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: unknown, index) => {
    const textIn = (name: string): string => {
      const value = fieldOf(entry, name);
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
    };
    const name = textIn(member.field);
    return {
      key: name === "" ? String(index) : name,
      member: name,
      count: Number(fieldOf(entry, count.field) ?? 0),
      image: image === undefined ? undefined : fill(image, textIn),
    };
  });
}

/** When a ranking's newest event was stored; undefined: the response does not have it. */
export function asOfIn(body: unknown): string | null | undefined {
  const asOf = fieldOf(body, "asOf");
  return typeof asOf === "string" || asOf === null ? asOf : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
