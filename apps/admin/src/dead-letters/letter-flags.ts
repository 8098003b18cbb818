import { findLetters, listLetters, type DeadLetter, type LetterFilter, type LetterState } from "@tally/dead-letters";
import { unpackEvent, type SqlReader } from "@tally/pipeline";
import { InvalidArgumentError, Option, type Command } from "commander";
import { CommandError } from "../exit-for-fault.ts";
import { domainsNamed } from "../open-system.ts";

/** What a command line says about which letters are meant. */
export interface LetterFlags {
  readonly domain?: string;
  readonly stage?: DeadLetter["stage"];
  readonly state?: LetterState | "any";
  readonly since?: number;
  readonly until?: number;
  readonly reason?: string;
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adds the flags that choose letters. */
export function withLetterFlags(command: Command): Command {
  return command
    .option("--domain <name>", "of this domain")
    .addOption(new Option("--stage <stage>", "that died as").choices(["event", "conflict", "message", "delivery"]))
    .addOption(
      new Option("--state <state>", "in this state").choices(["open", "replayed", "discarded", "any"]).default("open"),
    )
    .option("--since <time>", "that died from then on, e.g. 2026-11-20T08:00Z", time)
    .option("--until <time>", "and not later than then", time)
    .option("--reason <text>", "whose reason holds this text");
}

/** The flags as a filter. Throws a CommandError for a domain that there is not. */
export function filterOf({ domain, state, ...rest }: LetterFlags): LetterFilter {
  if (domain !== undefined) domainsNamed([domain]);
  return { ...rest, domain, state: state === "any" ? undefined : state };
}

/** The letters of ids, or with --all those of the flags. Throws a CommandError when it is not said which, or one is not there. */
export async function chosenLetters(
  reader: SqlReader,
  ids: readonly string[],
  flags: LetterFlags & { readonly all?: boolean },
  limit: number,
): Promise<readonly DeadLetter[]> {
  if (ids.length > 0 === (flags.all === true)) throw new CommandError("expected ids, or --all with filters", 2);
  return flags.all === true ? listLetters(reader, filterOf(flags), limit) : lettersOf(reader, ids);
}

/** The letters of some ids. Throws a CommandError for an id that is none. */
export async function lettersOf(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  const wrong = ids.find((id) => !idPattern.test(id));
  if (wrong !== undefined) throw new CommandError(`expected the id of a dead letter, got ${wrong.slice(0, 60)}`, 2);
  const letters = await findLetters(reader, ids);
  const missing = ids.find((id) => !letters.some((letter) => letter.id === id));
  if (missing !== undefined) throw new CommandError(`there is no dead letter ${missing}`);
  return letters;
}

/** A letter as JSON shows it: the event, or the message as base64. */
export function jsonOf({ body, diedAt, ...letter }: DeadLetter): object {
  const content = holdsEvent(letter) ? { event: eventOf(body) } : { message: body.toString("base64") };
  return { ...letter, diedAt: new Date(diedAt).toISOString(), ...content };
}

/** Whether a letter holds one event, and not a whole message. */
export function holdsEvent({ stage }: Pick<DeadLetter, "stage">): boolean {
  return stage === "event" || stage === "conflict";
}

function eventOf(body: Buffer): unknown {
  return JSON.parse(unpackEvent(body).json);
}

function time(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError("expected a time as 2026-11-20T08:00:00Z");
  return at;
}
