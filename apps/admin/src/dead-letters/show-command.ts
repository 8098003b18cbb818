import type { DeadLetter } from "@tally/dead-letters";
import { unpackEvent } from "@tally/pipeline";
import { Command } from "commander";
import { openDatabase } from "../open-system.ts";
import { holdsEvent, jsonOf, lettersOf } from "./letter-flags.ts";

/** tally dead-letters show */
export function showCommand(): Command {
  return new Command("show")
    .description("shows letters with all that is known of them")
    .argument("<ids...>")
    .option("--json", "as JSON")
    .action(async (ids: string[], { json }: { readonly json?: boolean }) => {
      const { database } = openDatabase();
      try {
        const letters = await lettersOf(database.writer, ids);
        process.stdout.write(
          json === true ? `${JSON.stringify(letters.map(jsonOf), undefined, 2)}\n` : letters.map(textOf).join("\n"),
        );
      } finally {
        await database.close();
      }
    });
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
