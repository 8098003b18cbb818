import { listLetters, type DeadLetter } from "@tally/dead-letters";
import { Command, InvalidArgumentError } from "commander";
import { openDatabase } from "../open-system.ts";
import { filterOf, jsonOf, withLetterFlags, type LetterFlags } from "./letter-flags.ts";

const limitDefault = 100;

/** tally dead-letters list */
export function listCommand(): Command {
  return withLetterFlags(new Command("list").description("lists letters, oldest first"))
    .option("--limit <number>", "at most so many", wholeNumber, limitDefault)
    .option("--json", "as JSON, with events and messages")
    .action(async ({ limit, json, ...flags }: LetterFlags & { readonly limit: number; readonly json?: boolean }) => {
      const filter = filterOf(flags);
      const { database } = openDatabase();
      try {
        const letters = await listLetters(database.writer, filter, limit);
        process.stdout.write(
          json === true ? `${JSON.stringify(letters.map(jsonOf), undefined, 2)}\n` : textOf(letters, limit),
        );
      } finally {
        await database.close();
      }
    });
}

function textOf(letters: readonly DeadLetter[], limit: number): string {
  if (letters.length === 0) return "no dead letters\n";
  const lines = letters.map(
    ({ id, diedAt, domain, stage, state, reason }) =>
      `${id}  ${new Date(diedAt).toISOString()}  ${domain}  ${stage}  ${state}  ${reason}\n`,
  );
  const more = letters.length === limit ? `the first ${limit}; --limit shows more\n` : "";
  return lines.join("") + more;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number from 1 on");
  return value;
}
