import { settleLetter } from "@tally/dead-letters";
import { Command } from "commander";
import { openDatabase } from "../open-system.ts";
import { chosenLetters, withLetterFlags, type LetterFlags } from "./letter-flags.ts";

const atOnceMax = 100_000;

/** tally dead-letters discard */
export function discardCommand(): Command {
  return withLetterFlags(new Command("discard").description("says that letters shall stay as they are; they are kept"))
    .argument("[ids...]")
    .option("--all", "all that the filters choose")
    .action(async (ids: string[], flags: LetterFlags & { readonly all?: boolean }) => {
      const { database } = openDatabase();
      try {
        const letters = await chosenLetters(database.writer, ids, flags, atOnceMax);
        let discarded = 0;
        for (const letter of letters) {
          const done = await database.transaction((transaction) => settleLetter(transaction, letter, "discarded"));
          if (done) discarded++;
        }
        process.stdout.write(`discarded ${discarded} of ${letters.length}\n`);
      } finally {
        await database.close();
      }
    });
}
