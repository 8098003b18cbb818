import { type SqlReader, unpackEvent } from "@tally/contract";
import {
  type DeadLetter,
  findLetters,
  holdsEvent,
  type LetterFilter,
  type LetterState,
  listLetters,
} from "@tally/database";
import { wholeNumber } from "@tally/runtime/flag-values";
import { Command, InvalidArgumentError, Option } from "commander";
import { CommandError, usageError } from "../command-error.ts";
import { withExitCodes } from "../exit-codes.ts";
import { domainNamed, type JsonFlag, jsonFlag, print } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";

/** The filters of a command. */
interface LetterFlags {
  readonly domain?: string;
  readonly stage?: DeadLetter["stage"];
  readonly state?: LetterState | "any";
  readonly since?: number;
  readonly until?: number;
  readonly reason?: string;
}

/** For commands that take ids, or --all and filters. */
export interface ChoiceFlags extends LetterFlags {
  readonly all?: boolean;
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// All of them are held in memory.
const chosenMax = 100_000;

/** Adds the filters. */
export function withLetterFlags(command: Command): Command {
  return command
    .option("--domain <name>", "of this domain")
    .addOption(new Option("--stage <stage>", "of this stage").choices(["event", "conflict", "message", "delivery"]))
    .addOption(
      new Option("--state <state>", "in this state").choices(["open", "replayed", "discarded", "any"]).default("open"),
    )
    .option("--since <time>", "died at this time or later, such as 2026-11-20T08:00Z", time)
    .option("--until <time>", "died at this time or earlier", time)
    .option("--reason <text>", "with this text in the reason");
}

/** Throws a CommandError for an unknown domain. */
function filterOf({ domain, state, ...rest }: LetterFlags): LetterFilter {
  if (domain !== undefined) domainNamed(domain);
  return { ...rest, domain, state: state === "any" ? undefined : state };
}

/**
 * The letters of the ids, or with --all at most 100,000 that match. Throws a CommandError for both, for neither, and
 * for an unknown id.
 */
export async function chosenLetters(
  reader: SqlReader,
  ids: readonly string[],
  { all, ...filters }: ChoiceFlags,
): Promise<readonly DeadLetter[]> {
  if (ids.length > 0 === (all === true)) throw usageError("expected ids, or --all with filters");
  return all === true ? listLetters(reader, filterOf(filters), chosenMax) : lettersOf(reader, ids);
}

/** Throws a CommandError for an id that is malformed or unknown. */
async function lettersOf(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  const wrong = ids.find((id) => !idPattern.test(id));
  if (wrong !== undefined) throw usageError(`expected the id of a dead letter, got ${wrong.slice(0, 60)}`);
  const letters = await findLetters(reader, ids);
  const missing = ids.find((id) => !letters.some((letter) => letter.id === id));
  if (missing !== undefined) throw new CommandError(`there is no dead letter ${missing}`);
  return letters;
}

/** With the event, or the message as base64. */
function jsonOf({ body, diedAt, ...letter }: DeadLetter): object {
  const content = holdsEvent(letter)
    ? { event: JSON.parse(unpackEvent(body).json) }
    : { message: body.toString("base64") };
  return { ...letter, diedAt: new Date(diedAt).toISOString(), ...content };
}

function time(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("expected a time such as 2026-11-20T08:00:00Z");
  return at;
}

const limitDefault = 100;

/** tally dead-letters list */
export function listCommand(): Command {
  const command = withLetterFlags(new Command("list").description("lists dead letters, oldest first"))
    .option("--limit <number>", "at most this many", wholeNumber, limitDefault)
    .addOption(jsonFlag)
    .action(({ limit, json, ...flags }: LetterFlags & JsonFlag & { readonly limit: number }) => {
      const filter = filterOf(flags);
      return withDatabase(async ({ database }) => {
        const letters = await listLetters(database.writer, filter, limit);
        print({ json }, letters.map(jsonOf), linesOf(letters, limit));
      });
    });
  return withExitCodes(command, { 3: "the database does not respond" });
}

function linesOf(letters: readonly DeadLetter[], limit: number): string {
  if (letters.length === 0) return "no dead letters\n";
  const lines = letters.map(
    ({ id, diedAt, domain, stage, state, reason }) =>
      `${id}  ${new Date(diedAt).toISOString()}  ${domain}  ${stage}  ${state}  ${reason}\n`,
  );
  const more = letters.length === limit ? `only the first ${limit}; --limit shows more\n` : "";
  return lines.join("") + more;
}

/** tally dead-letters show */
export function showCommand(): Command {
  const command = new Command("show")
    .description("shows dead letters with all their fields")
    .argument("<ids...>")
    .addOption(jsonFlag)
    .action((ids: string[], flags: JsonFlag) =>
      withDatabase(async ({ database }) => {
        const letters = await lettersOf(database.writer, ids);
        print(flags, letters.map(jsonOf), letters.map(textOf).join("\n"));
      }),
    );
  return withExitCodes(command, { 1: "there is no such dead letter", 3: "the database does not respond" });
}

function textOf({ id, domain, stage, queue, messageId, reason, diedAt, state, body }: DeadLetter): string {
  return [
    `${id} (${state})`,
    `  domain  ${domain}`,
    `  died    ${new Date(diedAt).toISOString()} as ${stage}, from ${queue}`,
    `  reason  ${reason}`,
    ...(stage === "conflict" ? [`  stored  ${messageId} has other content`] : []),
    holdsEvent({ stage })
      ? `  event   ${unpackEvent(body).json}`
      : `  message ${body.length} bytes: ${printable(body)}`,
    "",
  ].join("\n");
}

const shownBytes = 200;

function printable(body: Buffer): string {
  return JSON.stringify(body.subarray(0, shownBytes).toString("latin1"));
}
