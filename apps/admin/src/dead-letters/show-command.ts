import type { DeadLetter } from "@tally/dead-letters";
import { unpackEvent } from "@tally/pipeline";
import { Command } from "commander";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";
import { holdsEvent, jsonOf, lettersOf } from "./letter-flags.ts";

/** tally dead-letters show */
export function showCommand(): Command {
  return new Command("show")
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
      : `  message ${body.length} bytes: ${printable(body)}`,
    "",
  ].join("\n");
}

const shownBytes = 200;

function printable(body: Buffer): string {
  return JSON.stringify(body.subarray(0, shownBytes).toString("latin1"));
}
