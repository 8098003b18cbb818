import { revokeKey } from "@tally/access";
import { Command } from "commander";
import { changeKeys } from "./change-keys.ts";
import { expectKeyId, noSuchKey } from "./key-flags.ts";

/** tally keys revoke */
export function revokeCommand(): Command {
  return new Command("revoke")
    .description("makes a key invalid for good, on every gateway within 5 s; safe to repeat")
    .argument("<id>")
    .option("--json", "as JSON")
    .action(async (id: string, { json }: { readonly json?: boolean }) => {
      expectKeyId(id);
      const outcome = await changeKeys((transaction) => revokeKey(transaction, id));
      if (outcome !== "revoked") throw noSuchKey(id, outcome);
      process.stdout.write(json === true ? `${JSON.stringify({ id, revoked: true })}\n` : `revoked ${id}\n`);
    });
}
