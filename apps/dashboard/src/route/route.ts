import { signal } from "@preact/signals";

/** What the page shows, as in `#/stores/7?date=2026-11-20`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

type Query = Readonly<Record<string, string | undefined>>;

export const route = signal<Route>(routeOf(location.hash));

/** Follows the address, also when the user goes back. */
export function startRouting(): void {
  addEventListener("hashchange", () => (route.value = routeOf(location.hash)));
}

/** Empty values are left out. */
export function linkTo(path: readonly (string | number)[], query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  const search = new URLSearchParams(given).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${search === "" ? "" : `?${search}`}`;
}

/** `replaces`: in place of the present entry of the history. */
export function goTo(path: readonly (string | number)[], query: Query, replaces = false): void {
  if (replaces) location.replace(linkTo(path, query));
  else location.hash = linkTo(path, query);
  // The event comes later, when another key may have been pressed.
  route.value = routeOf(location.hash);
}

function routeOf(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter((part) => part !== "");
  return { path: parts.map(decoded), query: Object.fromEntries(new URLSearchParams(search)) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand, with a lone %
  }
}
