import { fieldIn, type View } from "@tally/contract";
import { domains } from "@tally/domains";
import { wholeNumberTo } from "@tally/runtime/flag-values";
import type { Command } from "commander";
import { CommandError, exitCodes, newCommand, usageError } from "../command.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { table } from "../table.ts";
import { gatewayFlag, gatewayOf, type GatewayFlags } from "../gateway/gateway.ts";

type ChoiceFlags = Readonly<Partial<Record<"date" | "from" | "to" | "by" | "offset", string | undefined>>>;

interface TopFlags extends JsonFlag, GatewayFlags, ChoiceFlags {
  readonly limit?: number;
}

const giveUpAfterMs = 5000;
const limits = wholeNumberTo(100);

/** tally top */
export function topCommand(): Command {
  return newCommand("top", { 1: "the gateway rejected a value", 3: "the gateway or its Redis does not respond" })
    .description("prints a ranking: the best items of a store, the best stores of an item, or another board")
    .argument("[board]", "store, item, or the name of a board (default: lists the boards)")
    .argument("[values...]", "the store, the item, or the other parameters of the board")
    .option("--date <day>", "of one day: yyyymmdd, today or yesterday; for the items of a store its own today")
    .option("--from <day>", "of all days from this one on, yyyymmdd; with --to")
    .option("--to <day>", "up to this day, yyyymmdd; 366 days at most")
    .option("--by <measure>", "what is counted, such as quantity (default), netSales or grossSales")
    .option("--limit <number>", "this many entries, 10 by default", limits)
    .option("--offset <number>", "leaves out this many first entries, at most 900")
    .addOption(jsonFlag)
    .addOption(gatewayFlag)
    .action((board: string | undefined, values: readonly string[], flags: TopFlags) =>
      board === undefined ? listBoards(flags) : showBoard(board, values, flags),
    );
}

function listBoards(flags: JsonFlag): void {
  const lines = boards.map((one) =>
    [nameOf(one), ...one.view.params.map(({ name }) => `<${name}>`), "", one.view.title].join(" "),
  );
  const listed = boards.map(({ domain, view: { name, title, params } }) => ({ domain, name, title, params }));
  print(flags, listed, `${lines.join("\n")}\n`);
}

async function showBoard(board: string, values: readonly string[], flags: TopFlags): Promise<void> {
  const { date, from, to, by, offset, limit } = flags;
  const chosen = chooseView(board, values, { date, from, to, by, offset });
  const reply = await gatewayOf(flags).send({ method: "GET", path: pathOf(chosen, limit) }, giveUpAfterMs);
  if (reply.status !== 200) throw new CommandError(`${nameOf(chosen)}: ${reply.message}`, exitCodes.finding);
  print(flags, reply.json, textOf(chosen, reply.json));
}

/** The table of a response. */
export function textOf({ view, values }: Pick<Chosen, "view" | "values">, body: unknown): string {
  const entries: unknown = fieldIn(body, view.list);
  const counted = view.count.field.replace(/\{(\w+)\}/, (_match, name: string) => values[name] ?? "");
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const { member, memberName = "", count } = view;
  const columns = [
    { label: member.label, field: member.field },
    ...(list.some((entry) => fieldIn(entry, memberName) !== undefined) ? [{ label: "Name", field: memberName }] : []),
    { label: count.label, field: counted },
  ];
  // An amount, which is in the last column, comes with four decimals.
  const shown = (cell: string, at: number) => (at < columns.length ? cell : cell.replace(/(?<=\.\d\d\d?)0+$/, ""));
  const rows = list.map((entry, index) =>
    [Number(values["offset"] ?? 0) + index + 1, ...columns.map(({ field }) => fieldIn(entry, field) ?? "")]
      .map(String)
      .map(shown),
  );
  const [asOf, owner] = [fieldIn(body, "asOf"), fieldIn(body, memberName)];
  const about = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  if (typeof owner === "string") about.push(owner);
  const head = [view.title, ...about, ...(typeof asOf === "string" ? [`as of ${asOf}`] : [])].join(", ");
  if (rows.length === 0) return `${head}\nno entries\n`;
  return `${head}\n${table(["Rank", ...columns.map(({ label }) => label)], rows)}\n`;
}

/** A view and the values of its parameters by name. */
interface Chosen {
  readonly domain: string;
  readonly view: View;
  readonly values: Readonly<Record<string, string>>;
}

const boards = domains.flatMap(({ name: domain, views }) => views.map((view) => ({ domain, view })));

/** `board`: a view's name, perhaps with its domain ("steps/top-users"), or of its first parameter without ID ("store").
 * `values`: of its parameters in their order, except those with a flag. Throws a CommandError for no view, or for views
 * of two domains. */
export function chooseView(board: string, values: readonly string[], flags: ChoiceFlags): Chosen {
  const named = boards.filter(({ domain, view }) => isNamed(domain, view, board));
  const [first] = named;
  if (first === undefined)
    throw usageError(`${board}: expected one of ${boards.map(nameOf).join(", ")}, or store, item`);
  if (named.some(({ domain }) => domain !== first.domain))
    throw usageError(`${board}: expected one of ${named.map(nameOf).join(", ")}`);
  return { ...first, values: valuesOf(first.view, values, flags) };
}

/** "purchases/top-items". */
function nameOf({ domain, view }: Pick<Chosen, "domain" | "view">): string {
  return `${domain}/${view.name}`;
}

// A route with `date` takes these too. Views do not name them.
const beside = ["from", "to", "offset"] as const;

/** The path with its values. A parameter without a value is left out of the query. */
export function pathOf({ view, values }: Pick<Chosen, "view" | "values">, limit: number | undefined): string {
  const [path = "", query = ""] = view.path.split("?");
  if (limit !== undefined && !query.includes("limit=")) throw usageError(`--limit: ${view.name} has no limit`);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? ""));
  const pairOf = (key: string, name: string): readonly string[] => {
    const given = values[name];
    return given === undefined ? [] : [`${key}=${encodeURIComponent(given)}`];
  };
  const pairs = query.split("&").flatMap((pair) => {
    const [key = "", value = ""] = pair.split("=");
    const name = /^\{(\w+)\}$/.exec(value)?.[1];
    if (name === undefined) return [key === "limit" && limit !== undefined ? `limit=${limit}` : pair];
    return pairOf(key, name);
  });
  return query === "" ? filled : `${filled}?${[...pairs, ...beside.flatMap((name) => pairOf(name, name))].join("&")}`;
}

function isNamed(domain: string, view: View, board: string): boolean {
  const [first] = view.params;
  return board === view.name || board === nameOf({ domain, view }) || board === first?.name.replace(/ID$/, "");
}

function valuesOf(view: View, given: readonly string[], flags: ChoiceFlags): Readonly<Record<string, string>> {
  const flagged = new Map(Object.entries(flags).filter(([, value]) => value !== undefined));
  for (const flag of flagged.keys()) {
    const needed = flag === "by" ? "by" : "date";
    if (view.params.some(({ name }) => name === needed)) continue;
    const lacked = { by: "choice of measures", offset: "offset" }[flag] ?? "choice of days";
    throw usageError(`--${flag}: ${view.name} has no ${lacked}`);
  }
  const positional = view.params.filter(({ name }) => !flagged.has(name));
  if (given.length > positional.length)
    throw usageError(`${view.name}: expected at most ${positional.length} values, got ${given.length}`);
  const isRange = ["from", "to"].some((flag) => flagged.has(flag));
  const values: Record<string, string> = {};
  for (const { name, kind, choices, default: preset } of view.params) {
    const at = positional.findIndex((one) => one.name === name);
    const value = flagged.get(name) ?? given[at] ?? (isRange && kind === "date" ? undefined : preset);
    if (value === undefined) {
      // Without it the path has a gap; in the query it is optional.
      if (view.path.replace(/\?.*/, "").includes(`{${name}}`))
        throw usageError(`${view.name}: expected a value for ${name}`);
      continue;
    }
    if (kind === "date" && value === "all") continue;
    if (kind === "choice" && choices?.includes(value) === false)
      throw usageError(`${name}: expected one of ${choices.join(", ")}, got ${value}`);
    values[name] = value;
  }
  for (const name of beside) {
    const value = flagged.get(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
