import { hashOfKeyText, isKeyId, newKeyText, revokeKey, rotateKey } from "@tally/access";
import type { SqlTransaction } from "@tally/contract";
import { numberFlag } from "@tally/runtime/flag-values";
import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { withExitCodes } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";

const withinMs = 15_000;
const graceDefaultSeconds = 86_400;
const seconds = numberFlag("a whole number of seconds", (value) => Number.isInteger(value) && value < 1e9);

/** tally keys rotate: the only time that the new key is shown. */
export function rotateCommand(): Command {
  const command = new Command("rotate")
    .description("gives a key a new secret and shows it once; the previous one stays valid for a while")
    .argument("<id>")
    .option(
      "--grace <seconds>",
      "how long the previous secret stays valid; 0 ends it now",
      seconds,
      graceDefaultSeconds,
    )
    .addOption(jsonFlag)
    .action(async (id: string, { grace, json }: JsonFlag & { readonly grace: number }) => {
      expectKeyId(id);
      const key = newKeyText(id);
      const previousUntil = Date.now() + grace * 1000;
      const outcome = await changeKeys((transaction) =>
        rotateKey(transaction, { id, hash: hashOfKeyText(key), previousUntil }),
      );
      if (outcome !== "rotated") throw noSuchKey(id, outcome);
      const until = new Date(previousUntil).toISOString();
      const text = `${key}\nThis key is shown only now. The previous one is valid until ${until}.\n`;
      print({ json }, { id, key, previousUntil: until }, text);
    });
  return withExitCodes(command, { 3: "the database does not respond" });
}

/** tally keys revoke */
export function revokeCommand(): Command {
  const command = new Command("revoke")
    .description("makes a key invalid for good, on every gateway within 5 s; safe to repeat")
    .argument("<id>")
    .addOption(jsonFlag)
    .action(async (id: string, flags: JsonFlag) => {
      expectKeyId(id);
      const outcome = await changeKeys((transaction) => revokeKey(transaction, id));
      if (outcome !== "revoked") throw noSuchKey(id, outcome);
      print(flags, { id, revoked: true }, `revoked ${id}\n`);
    });
  return withExitCodes(command, { 3: "the database does not respond" });
}

/** Runs one change of keys in a transaction. Throws a DatabaseError if it cannot commit within 15 s. */
export function changeKeys<T>(change: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
  return withDatabase(({ database }) => database.transaction(change, { giveUpAfterMs: withinMs }));
}

/** Does not print the text: it may be a key. */
function expectKeyId(text: string): void {
  if (!isKeyId(text))
    throw new CommandError("expected the id of a key, 16 hex digits as `tally keys list` shows it", 2);
}

function noSuchKey(id: string, why: "absent" | "revoked"): CommandError {
  return new CommandError(why === "absent" ? `there is no key ${id}` : `the key ${id} is revoked`, 2);
}
