import { settleLetter, type DeadLetter } from "@tally/dead-letters";
import { connectPublisher, type Publisher } from "@tally/messaging";
import { BatchIds, encodeBatch, queuesOf, textOfBatchId, unpackEvent } from "@tally/pipeline";
import { Command } from "commander";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "../exit-for-fault.ts";
import { openDatabase } from "../open-system.ts";
import { Progress } from "../progress.ts";
import { chosenLetters, holdsEvent, withLetterFlags, type LetterFlags } from "./letter-flags.ts";

const atOnceMax = 100_000;
const connectedWithinMs = 10_000;
const confirmedWithinMs = 30_000;

/**
 * tally dead-letters replay. The letter is marked after the broker has confirmed it: killed between the two, it stays open, and is sent
 * once more by the next replay. That changes nothing, because an event keeps its id and a message its batch. The event of a conflict is stored under the id of its letter.
 */
export function replayCommand(): Command {
  return withLetterFlags(new Command("replay").description("sends letters through tally once more; safe to repeat"))
    .argument("[ids...]")
    .option("--all", "all that the filters choose")
    .action(async (ids: string[], flags: LetterFlags & { readonly all?: boolean }) => {
      const { config, log, database } = openDatabase();
      const progress = new Progress();
      try {
        const letters = await chosenLetters(database.writer, ids, flags, atOnceMax);
        const names = [...new Set(letters.map(({ domain }) => domain))];
        const queues = names.flatMap((domain) => Object.values(queuesOf(config.namespace, domain)));
        const publisher = connectPublisher({
          url: config.amqpUrl,
          connectionName: "tally dead letters",
          queues,
          log,
        });
        try {
          await connected(publisher);
          const batches = new BatchIds();
          let replayed = 0;
          for (const letter of letters) {
            await send(publisher, batches, config.namespace, letter);
            const done = await database.transaction((transaction) => settleLetter(transaction, letter, "replayed"));
            if (done) replayed++;
            progress.show("replaying", replayed, letters.length);
          }
          progress.end();
          process.stdout.write(`replayed ${replayed} of ${letters.length}; what is refused again is open again\n`);
        } finally {
          await publisher.close();
        }
      } finally {
        progress.end();
        await database.close();
      }
    });
}

async function connected(publisher: Publisher): Promise<void> {
  const late = delay(connectedWithinMs, "late", { ref: false });
  if ((await Promise.race([publisher.ready, late])) === "late") {
    throw new CommandError("the broker (AMQP_URL) does not answer");
  }
}

async function send(publisher: Publisher, batches: BatchIds, namespace: string, letter: DeadLetter): Promise<void> {
  const { ingest, rank } = queuesOf(namespace, letter.domain);
  const queue = letter.queue === rank.name ? rank.name : ingest.name;
  const batch = batches.next();
  const isEvent = holdsEvent(letter);
  const outcome = await publisher.publish({
    queue,
    messageId: isEvent ? textOfBatchId(batch) : letter.messageId,
    body: isEvent ? encodeBatch(batch, Date.now(), [unpackEvent(letter.body)]) : letter.body,
    deadline: Date.now() + confirmedWithinMs,
  });
  if (outcome !== "confirmed")
    throw new CommandError(`${letter.id}: the broker did not take it (${outcome}); try again`);
}
