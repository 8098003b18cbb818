import { hashOfKeyText, newKeyText, rotateKey } from "@tally/access";
import { Command } from "commander";
import { changeKeys } from "./change-keys.ts";
import { expectKeyId, noSuchKey, seconds } from "./key-flags.ts";

const graceDefaultSeconds = 86_400;

/** tally keys rotate: the only moment at which the new key is shown. */
export function rotateCommand(): Command {
  return new Command("rotate")
    .description("gives a key a new secret and shows it once; the one before stays valid for a while")
    .argument("<id>")
    .option("--grace <seconds>", "how long the secret before stays valid; 0 ends it now", seconds, graceDefaultSeconds)
    .option("--json", "as JSON")
    .action(async (id: string, { grace, json }: { readonly grace: number; readonly json?: boolean }) => {
      expectKeyId(id);
      const key = newKeyText(id);
      const previousUntil = Date.now() + grace * 1000;
      const outcome = await changeKeys((transaction) =>
        rotateKey(transaction, { id, hash: hashOfKeyText(key), previousUntil }),
      );
      if (outcome !== "rotated") throw noSuchKey(id, outcome);
      const until = new Date(previousUntil).toISOString();
      process.stdout.write(
        json === true
          ? `${JSON.stringify({ id, key, previousUntil: until }, undefined, 2)}\n`
          : `${key}\nThis key is shown only now. The one before is valid until ${until}.\n`,
      );
    });
}
