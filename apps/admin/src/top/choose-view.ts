import type { Domain, View } from "@tally/contract";
import { usageError } from "../command-error.ts";

/** A view and the values of its parameters by name. */
export interface Chosen {
  readonly domain: string;
  readonly view: View;
  readonly values: Readonly<Record<string, string>>;
}

export interface Wanted {
  /**
   * The name of a view, perhaps with its domain ("steps/top-users"), or of its first parameter without ID ("store").
   */
  readonly board: string;
  /** The parameters in the order of the view. */
  readonly values: readonly string[];
  /** The parameter of kind date. */
  readonly date?: string;
}

/**
 * The view that fits, the one with the fewest further parameters. Throws a CommandError when none fits, or views of two
 * domains do.
 */
export function chooseView(domains: readonly Domain[], { board, values, date }: Wanted): Chosen {
  const all = domains.flatMap((domain) => domain.views.map((view) => ({ domain: domain.name, view })));
  const named = all.filter(({ domain, view }) => isNamed(domain, view, board));
  if (named.length === 0) throw usageError(`${board}: expected one of ${all.map(nameOf).join(", ")}, or store, item`);
  const fitting = named
    .filter(({ view }) => date === undefined || view.params.some(({ kind }) => kind === "date"))
    .toSorted((a, b) => a.view.params.length - b.view.params.length);
  const [first, second] = fitting;
  if (first === undefined) throw usageError(`--date: ${board} has no boards of days`);
  if (second !== undefined && second.domain !== first.domain)
    throw usageError(`${board}: expected one of ${fitting.map(nameOf).join(", ")}`);
  return { ...first, values: valuesOf(first.view, values, date) };
}

/** "purchases/top-items". */
export function nameOf({ domain, view }: Pick<Chosen, "domain" | "view">): string {
  return `${domain}/${view.name}`;
}

/**
 * The path with its values; "today" is the date of this machine. A parameter without a value is left out of the query.
 */
export function pathOf({ view, values }: Pick<Chosen, "view" | "values">, limit: number | undefined): string {
  const [path = "", query = ""] = view.path.split("?");
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? ""));
  const pairs = query.split("&").flatMap((pair) => {
    const [key = "", value = ""] = pair.split("=");
    const name = /^\{(\w+)\}$/.exec(value)?.[1];
    if (name === undefined) return [key === "limit" && limit !== undefined ? `limit=${limit}` : pair];
    const given = values[name];
    return given === undefined ? [] : [`${key}=${encodeURIComponent(given)}`];
  });
  return query === "" ? filled : `${filled}?${pairs.join("&")}`;
}

function isNamed(domain: string, view: View, board: string): boolean {
  const [first] = view.params;
  return board === view.name || board === nameOf({ domain, view }) || board === first?.name.replace(/ID$/, "");
}

function valuesOf(view: View, given: readonly string[], date: string | undefined): Readonly<Record<string, string>> {
  const positional = view.params.filter(({ kind }) => date === undefined || kind !== "date");
  if (given.length > positional.length)
    throw usageError(`${view.name}: expected at most ${positional.length} values, got ${given.length}`);
  const values: Record<string, string> = {};
  for (const { name, kind, choices, default: preset } of view.params) {
    const at = positional.findIndex((one) => one.name === name);
    const value = (at < 0 ? date : given[at]) ?? preset;
    if (value === undefined) {
      // Without it the path has a gap; in the query it is optional.
      if (view.path.split("?")[0]?.includes(`{${name}}`) === true)
        throw usageError(`${view.name}: expected a value for ${name}`);
      continue;
    }
    if (choices !== undefined && !choices.includes(value))
      throw usageError(`${name}: expected one of ${choices.join(", ")}, got ${value}`);
    values[name] = kind === "date" && value === "today" ? today() : value;
  }
  return values;
}

function today(): string {
  const now = new Date();
  return String(now.getFullYear() * 10_000 + (now.getMonth() + 1) * 100 + now.getDate());
}
