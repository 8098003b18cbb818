import { fieldIn, type View } from "@tally/contract";
import { domains } from "@tally/domains";
import { wholeNumberTo } from "@tally/runtime/flag-values";
import type { Command } from "commander";
import { CommandError, exitCodes, newCommand, usageError } from "../command.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { table } from "../table.ts";
import { gatewayFlag, gatewayOf, type GatewayFlags } from "../gateway/gateway.ts";

interface TopFlags extends JsonFlag, GatewayFlags {
  readonly date?: string;
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
    .option("--date <day>", "of one day: yyyymmdd, or today")
    .option("--limit <number>", "this many entries, 10 by default", limits)
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
  const { date, limit } = flags;
  const chosen = chooseView(board, values, date);
  const reply = await gatewayOf(flags).send({ method: "GET", path: pathOf(chosen, limit) }, giveUpAfterMs);
  if (reply.status !== 200) throw new CommandError(`${nameOf(chosen)}: ${reply.message}`, exitCodes.finding);
  print(flags, reply.json, textOf(chosen, reply.json));
}

function textOf({ view, values }: Chosen, body: unknown): string {
  const entries: unknown = fieldIn(body, view.list);
  const rows = (Array.isArray(entries) ? entries : []).map((entry: unknown, index) => [
    String(index + 1),
    String(fieldIn(entry, view.member.field)),
    String(fieldIn(entry, view.count.field)),
  ]);
  const asOf = fieldIn(body, "asOf");
  const about = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const head = [view.title, ...about, ...(typeof asOf === "string" ? [`as of ${asOf}`] : [])].join(", ");
  if (rows.length === 0) return `${head}\nno entries\n`;
  return `${head}\n${table(["Rank", view.member.label, view.count.label], rows)}\n`;
}

/** A view and the values of its parameters by name. */
interface Chosen {
  readonly domain: string;
  readonly view: View;
  readonly values: Readonly<Record<string, string>>;
}

const boards = domains.flatMap(({ name: domain, views }) => views.map((view) => ({ domain, view })));

/** The fitting view with the fewest parameters. `board`: a view's name, perhaps with its domain ("steps/top-users"), or
 * of its first parameter without ID ("store"). `values`: of its parameters in their order, except the one of kind date.
 * Throws a CommandError for no view, or for views of two domains. */
export function chooseView(board: string, values: readonly string[], date: string | undefined): Chosen {
  const named = boards.filter(({ domain, view }) => isNamed(domain, view, board));
  if (named.length === 0)
    throw usageError(`${board}: expected one of ${boards.map(nameOf).join(", ")}, or store, item`);
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
function nameOf({ domain, view }: Pick<Chosen, "domain" | "view">): string {
  return `${domain}/${view.name}`;
}

/** The path with its values. A parameter without a value is left out of the query. */
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
