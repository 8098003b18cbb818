import { type SqlReader, unpackEvent, BatchIds } from "@tally/contract";
import { findLetters, holdsEvent, letterId, listHeads, listLetters, newestLetters, replayOf } from "@tally/database";
import { settleLetter, type DeadLetter, type LetterFilter, type LetterHead } from "@tally/database";
import type { LetterState, Database } from "@tally/database";
import { domains } from "@tally/domains";
import { wholeNumber } from "@tally/runtime/flag-values";
import { InvalidArgumentError, Option, type Command } from "commander";
import { CommandError, exitCodes, groupOf, newCommand, usageError } from "../command.ts";
import { domainNamed, type JsonFlag, jsonFlag, print } from "../flags.ts";
import { withDatabase, withBroker } from "../open-servers.ts";
import type { Publisher } from "@tally/broker";
import { withProgress } from "@tally/runtime/progress";

interface LetterFlags extends Omit<LetterFilter, "state"> {
  readonly state?: LetterState | "any";
}

/** For commands that take ids, or --all and filters. */
interface ChoiceFlags extends LetterFlags {
  readonly all?: boolean;
}

const lettersPerPage = 1000;

function withLetterFlags(command: Command): Command {
  return command
    .option("--domain <name>", "of this domain")
    .addOption(new Option("--stage <stage>", "of this stage").choices(["rejected", "conflict", "message", "delivery"]))
    .addOption(
      new Option("--state <state>", "in this state")
        .choices(["open", "parked", "replayed", "discarded", "any"])
        .default("open"),
    )
    .option("--since <time>", "died at this time or later, such as 2026-11-20T08:00Z", time)
    .option("--until <time>", "died at this time or earlier", time)
    .option("--reason <text>", "with this text in the reason");
}

function filterOf({ state, ...rest }: LetterFlags): LetterFilter {
  if (rest.domain !== undefined) domainNamed(rest.domain);
  return { ...rest, state: state === "any" ? undefined : state };
}

/** The letters of the ids, or with --all those that match, oldest first; without what arrives meanwhile, such as a
 * replayed letter that fails again. Throws a CommandError for an unknown id. */
async function* chosenLetters(
  reader: SqlReader,
  ids: readonly string[],
  { all, ...filters }: ChoiceFlags,
): AsyncGenerator<LetterHead> {
  if (all !== true) return yield* await lettersOf(reader, ids);
  const filter = filterOf(filters);
  const [newest] = await newestLetters(reader, filter, 1);
  const until = Math.min(filter.until ?? Infinity, newest?.diedAt ?? 0);
  let page: readonly LetterHead[] = [];
  do {
    page = await listHeads(reader, { ...filter, until }, lettersPerPage, page.at(-1));
    yield* page;
  } while (page.length === lettersPerPage);
}

async function lettersOf(reader: SqlReader, ids: readonly string[]): Promise<readonly DeadLetter[]> {
  const wrong = ids.find((id) => !letterId.test(id));
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
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    throw new InvalidArgumentError("expected a time with its offset from UTC, such as 2026-11-20T08:00Z");
  }
}

/** tally dead-letters */
export function deadLettersCommand(): Command {
  const commands = [listCommand(), showCommand(), replayCommand(), discardCommand()];
  return groupOf("dead-letters", "events and messages that cannot be stored as they are", commands);
}

function listCommand(): Command {
  return withLetterFlags(newCommand("list", { 3: "the database does not respond" }))
    .description("lists dead letters, oldest first")
    .option("--limit <number>", "at most this many", wholeNumber, 100)
    .addOption(jsonFlag)
    .action(({ limit, json, ...flags }: LetterFlags & JsonFlag & { readonly limit: number }) => {
      const filter = filterOf(flags);
      return withDatabase(async ({ database }) => {
        if (json === true) print({ json }, (await listLetters(database.writer, filter, limit)).map(jsonOf), "");
        else print({}, [], linesOf(await listHeads(database.writer, filter, limit), limit));
      });
    });
}

function linesOf(letters: readonly LetterHead[], limit: number): string {
  if (letters.length === 0) return "no dead letters\n";
  const lines = letters.map(
    ({ id, diedAt, domain, stage, state, reason }) =>
      `${id}  ${new Date(diedAt).toISOString()}  ${domain}  ${stage}  ${state}  ${reason}\n`,
  );
  const more = letters.length === limit ? `only the first ${limit}; --limit shows more\n` : "";
  return lines.join("") + more;
}

function showCommand(): Command {
  return newCommand("show", { 1: "there is no such dead letter", 3: "the database does not respond" })
    .description("shows dead letters with all their fields")
    .argument("<ids...>")
    .addOption(jsonFlag)
    .action((ids: string[], flags: JsonFlag) =>
      withDatabase(async ({ database }) => {
        const letters = await lettersOf(database.writer, ids);
        print(flags, letters.map(jsonOf), letters.map(textOf).join("\n"));
      }),
    );
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
      : `  message ${body.length} bytes: ${JSON.stringify(body.toString("latin1", 0, shownBytes))}`,
    "",
  ].join("\n");
}

const shownBytes = 200;
const connectedWithinMs = 10_000;
const confirmedWithinMs = 30_000;
const giveUp = { giveUpAfterMs: 15_000 };

function discardCommand(): Command {
  return settleCommand("discard", "marks dead letters as discarded; they are kept").action(
    (ids: string[], { json, ...flags }: ChoiceFlags & JsonFlag) =>
      withDatabase(async ({ database }) => {
        const [discarded, of] = await settle(database, ids, flags, "discarded");
        print({ json }, { discarded, of }, `discarded ${discarded} of ${of}\n`);
      }),
  );
}

/** tally dead-letters replay. A kill between the confirm and the new state is harmless: an event keeps its id. */
function replayCommand(): Command {
  return settleCommand("replay", "publishes dead letters again; safe to repeat").action(
    (ids: string[], { json, ...flags }: ChoiceFlags & JsonFlag) =>
      withDatabase(({ config, log, database }) => {
        const batches = new BatchIds();
        const names = domains.map(({ name }) => name);
        const wanted = { name: "dead letters", domains: names, withinMs: connectedWithinMs };
        return withBroker({ config, log }, wanted, async (publisher, fault) => {
          const isConnected = publisher.state !== "down";
          const [replayed, of] = await settle(database, ids, flags, "replayed", async ({ id }) => {
            if (!isConnected)
              throw new CommandError(fault ?? "the broker (AMQP_URL) does not respond", exitCodes.unreachable);
            for (const letter of await findLetters(database.writer, [id]))
              await send(publisher, batches, config.namespace, letter);
          });
          const text = `replayed ${replayed} of ${of}; a letter that fails again returns to state open\n`;
          print({ json }, { replayed, of }, text);
        });
      }),
  );
}

function settleCommand(name: string, description: string): Command {
  return withLetterFlags(newCommand(name, { 1: "there is no such dead letter", 3: "a server does not respond" }))
    .description(description)
    .argument("[ids...]")
    .option("--all", "all that match the filters")
    .hook("preAction", (command) => {
      const isAll = command.opts<ChoiceFlags>().all === true;
      if (command.args.length > 0 === isAll) throw usageError("expected ids, or --all with filters");
    })
    .addOption(jsonFlag);
}

/** Returns how many letters it settled, and of how many. */
function settle(
  database: Database,
  ids: readonly string[],
  flags: ChoiceFlags,
  state: "replayed" | "discarded",
  before?: (letter: LetterHead) => Promise<void>,
): Promise<readonly [settled: number, of: number]> {
  return withProgress(async (progress) => {
    let [settled, of] = [0, 0];
    for await (const letter of chosenLetters(database.writer, ids, flags)) {
      await before?.(letter);
      if (await database.transaction((transaction) => settleLetter(transaction, letter, state), giveUp)) settled++;
      progress.show(state, ++of, undefined);
    }
    return [settled, of];
  });
}

async function send(publisher: Publisher, batches: BatchIds, namespace: string, letter: DeadLetter): Promise<void> {
  const { eventVersion } = domainNamed(letter.domain);
  const deadline = performance.now() + confirmedWithinMs;
  const outcome = await publisher.publish({ ...replayOf(letter, namespace, batches, eventVersion), deadline });
  if (outcome !== "confirmed")
    throw new CommandError(
      `${letter.id}: the broker did not confirm it (${outcome}); try again`,
      exitCodes.unreachable,
    );
}
