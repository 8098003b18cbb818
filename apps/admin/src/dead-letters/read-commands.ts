import { holdsEvent, listLetters, type DeadLetter } from "@tally/database";
import { unpackEvent } from "@tally/contract";
import { wholeNumber } from "@tally/runtime/flag-values";
import { Command } from "commander";
import { withExitCodes } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";
import { filterOf, jsonOf, lettersOf, withLetterFlags, type LetterFlags } from "./letter-flags.ts";

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
