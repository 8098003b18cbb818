import {
  findLetters,
  holdsEvent,
  listLetters,
  type DeadLetter,
  type LetterFilter,
  type LetterState,
} from "@tally/database";
import { unpackEvent, type SqlReader } from "@tally/contract";
import { InvalidArgumentError, Option, type Command } from "commander";
import { CommandError } from "../command-error.ts";
import { domainNamed } from "../flags.ts";

/** The filters of a command. */
export interface LetterFlags {
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
export function filterOf({ domain, state, ...rest }: LetterFlags): LetterFilter {
  if (domain !== undefined) domainNamed(domain);
  return { ...rest, domain, state: state === "any" ? undefined : state };
}

/** The letters of the ids, or with --all at most 100,000 that match. Throws a CommandError for both, for neither, and for an unknown id. */
export async function chosenLetters(
  reader: SqlReader,
  ids: readonly string[],
  { all, ...filters }: ChoiceFlags,
): Promise<readonly DeadLetter[]> {
  if (ids.length > 0 === (all === true)) throw new CommandError("expected ids, or --all with filters", 2);
  return all === true ? listLetters(reader, filterOf(filters), chosenMax) : lettersOf(reader, ids);
}

/** Throws a CommandError for an id that is malformed or unknown. */
export async function lettersOf(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  const wrong = ids.find((id) => !idPattern.test(id));
  if (wrong !== undefined) throw new CommandError(`expected the id of a dead letter, got ${wrong.slice(0, 60)}`, 2);
  const letters = await findLetters(reader, ids);
  const missing = ids.find((id) => !letters.some((letter) => letter.id === id));
  if (missing !== undefined) throw new CommandError(`there is no dead letter ${missing}`);
  return letters;
}

/** With the event, or the message as base64. */
export function jsonOf({ body, diedAt, ...letter }: DeadLetter): object {
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
