import { domains } from "@tally/domains";
import { numberFlag } from "@tally/runtime/flag-values";
import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { exitCodes, withExitCodes } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { gatewayOf, withGatewayFlags, type GatewayFlags } from "../gateway/gateway.ts";
import { chooseView, nameOf, pathOf, type Chosen } from "./choose-view.ts";

interface TopFlags extends JsonFlag, GatewayFlags {
  readonly date?: string;
  readonly limit?: number;
}

const giveUpAfterMs = 5000;
const limits = numberFlag(
  "a whole number from 1 to 100",
  (value) => Number.isInteger(value) && value >= 1 && value <= 100,
);

/** tally top */
export function topCommand(): Command {
  const command = new Command("top")
    .description("prints a ranking: the best items of a store, the best stores of an item, or another board")
    .argument("[board]", "store, item, or the name of a board (default: lists the boards)")
    .argument("[values...]", "the store, the item, or the other parameters of the board")
    .option("--date <day>", "of one day: yyyymmdd, or today")
    .option("--limit <number>", "this many entries, 10 by default", limits)
    .addOption(jsonFlag);
  withExitCodes(command, { 1: "the gateway rejected a value", 3: "the gateway or its Redis does not respond" });
  return withGatewayFlags(command).action((board: string | undefined, values: readonly string[], flags: TopFlags) =>
    board === undefined ? listBoards(flags) : showBoard(board, values, flags),
  );
}

function listBoards(flags: JsonFlag): void {
  const boards = domains.flatMap(({ name: domain, views }) => views.map((view) => ({ domain, view })));
  const lines = boards.map((one) =>
    [nameOf(one), ...one.view.params.map(({ name }) => `<${name}>`), "", one.view.title].join(" "),
  );
  const listed = boards.map(({ domain, view: { name, title, params } }) => ({ domain, name, title, params }));
  print(flags, listed, `${lines.join("\n")}\n`);
}

async function showBoard(board: string, values: readonly string[], flags: TopFlags): Promise<void> {
  const { date, limit } = flags;
  const chosen = chooseView(domains, { board, values, ...(date === undefined ? {} : { date }) });
  const reply = await gatewayOf(flags).send({ method: "GET", path: pathOf(chosen, limit) }, giveUpAfterMs);
  if (reply.status !== 200) throw new CommandError(`${nameOf(chosen)}: ${reply.message}`, exitCodes.finding);
  print(flags, reply.json, textOf(chosen, reply.json));
}

function textOf({ view, values }: Chosen, body: unknown): string {
  const entries: unknown = field(body, view.list);
  const rows = (Array.isArray(entries) ? entries : []).map((entry: unknown) => [
    String(field(entry, view.member.field)),
    String(field(entry, view.count.field)),
  ]);
  const asOf = field(body, "asOf");
  const about = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const head = [view.title, ...about, ...(typeof asOf === "string" ? [`as of ${asOf}`] : [])].join(", ");
  if (rows.length === 0) return `${head}\nno entries\n`;
  const table = [[view.member.label, view.count.label], ...rows];
  const [wide = 0, narrow = 0] = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map(
    ([member = "", count = ""], rank) =>
      `${rank === 0 ? "" : rank}`.padStart(4) + `  ${member.padEnd(wide)}  ${count.padStart(narrow)}`,
  );
  return `${head}\n${lines.join("\n")}\n`;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
