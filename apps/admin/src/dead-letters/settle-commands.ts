import { replayOf, settleLetter, type DeadLetter, type Database } from "@tally/database";
import type { Publisher } from "@tally/broker";
import { BatchIds } from "@tally/contract";
import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { exitCodes, withExitCodes } from "../exit-codes.ts";
import { domainNamed, jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withBroker, withDatabase } from "../open-servers.ts";
import { withProgress } from "@tally/runtime/progress";
import { chosenLetters, withLetterFlags, type ChoiceFlags } from "./letters.ts";

const connectedWithinMs = 10_000;
const confirmedWithinMs = 30_000;

/** tally dead-letters discard */
export function discardCommand(): Command {
  return settleCommand("discard", "marks dead letters as discarded; they are kept").action(
    (ids: string[], { json, ...flags }: ChoiceFlags & JsonFlag) =>
      withDatabase(async ({ database }) => {
        const letters = await chosenLetters(database.writer, ids, flags);
        const discarded = await settle(database, letters, "discarded");
        print({ json }, { discarded, of: letters.length }, `discarded ${discarded} of ${letters.length}\n`);
      }),
  );
}

/**
 * tally dead-letters replay. A letter gets the state replayed after the broker has confirmed it. If the command is
 * killed in between, the letter stays open and the next replay sends it again. That is harmless, because an event keeps
 * its id and a message its batch. The event of a conflict is stored under the id of its letter.
 */
export function replayCommand(): Command {
  return settleCommand("replay", "publishes dead letters again; safe to repeat").action(
    (ids: string[], { json, ...flags }: ChoiceFlags & JsonFlag) =>
      withDatabase(async ({ config, log, database }) => {
        const letters = await chosenLetters(database.writer, ids, flags);
        const names = [...new Set(letters.map(({ domain }) => domain))];
        const wanted = { name: "dead letters", domains: names, withinMs: connectedWithinMs };
        await withBroker({ config, log }, wanted, async (publisher, isConnected) => {
          if (!isConnected) throw new CommandError("the broker (AMQP_URL) does not respond", exitCodes.unreachable);
          const batches = new BatchIds();
          const replayed = await settle(database, letters, "replayed", (letter) =>
            send(publisher, batches, config.namespace, letter),
          );
          const text = `replayed ${replayed} of ${letters.length}; a letter that fails again returns to state open\n`;
          print({ json }, { replayed, of: letters.length }, text);
        });
      }),
  );
}

function settleCommand(name: string, description: string): Command {
  const command = withLetterFlags(new Command(name).description(description))
    .argument("[ids...]")
    .option("--all", "all that match the filters")
    .addOption(jsonFlag);
  return withExitCodes(command, { 1: "there is no such dead letter", 3: "a server does not respond" });
}

/** Returns how many letters changed their state. */
function settle(
  database: Database,
  letters: readonly DeadLetter[],
  state: "replayed" | "discarded",
  before?: (letter: DeadLetter) => Promise<void>,
): Promise<number> {
  return withProgress(async (progress) => {
    let settled = 0;
    for (const [index, letter] of letters.entries()) {
      await before?.(letter);
      if (await database.transaction((transaction) => settleLetter(transaction, letter, state))) settled++;
      progress.show(state, index + 1, letters.length);
    }
    return settled;
  });
}

async function send(publisher: Publisher, batches: BatchIds, namespace: string, letter: DeadLetter): Promise<void> {
  const { eventVersion } = domainNamed(letter.domain);
  const deadline = Date.now() + confirmedWithinMs;
  const outcome = await publisher.publish({ ...replayOf(letter, namespace, batches, eventVersion), deadline });
  if (outcome !== "confirmed")
    throw new CommandError(
      `${letter.id}: the broker did not confirm it (${outcome}); try again`,
      exitCodes.unreachable,
    );
}
