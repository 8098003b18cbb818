import { listLetters, type DeadLetter } from "@tally/dead-letters";
import { wholeNumber } from "@tally/service/flag-values";
import { Command } from "commander";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";
import { filterOf, jsonOf, withLetterFlags, type LetterFlags } from "./letter-flags.ts";

const limitDefault = 100;

/** tally dead-letters list */
export function listCommand(): Command {
  return withLetterFlags(new Command("list").description("lists dead letters, oldest first"))
    .option("--limit <number>", "at most this many", wholeNumber, limitDefault)
    .addOption(jsonFlag)
    .action(({ limit, json, ...flags }: LetterFlags & JsonFlag & { readonly limit: number }) => {
      const filter = filterOf(flags);
      return withDatabase(async ({ database }) => {
        const letters = await listLetters(database.writer, filter, limit);
        print({ json }, letters.map(jsonOf), textOf(letters, limit));
      });
    });
}

function textOf(letters: readonly DeadLetter[], limit: number): string {
  if (letters.length === 0) return "no dead letters\n";
  const lines = letters.map(
    ({ id, diedAt, domain, stage, state, reason }) =>
      `${id}  ${new Date(diedAt).toISOString()}  ${domain}  ${stage}  ${state}  ${reason}\n`,
  );
  const more = letters.length === limit ? `only the first ${limit}; --limit shows more\n` : "";
  return lines.join("") + more;
}
