import { listKeys, type ApiKey } from "@tally/access";
import { Command } from "commander";
import { withExitCodes } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";

/** tally keys list */
export function listCommand(): Command {
  const command = new Command("list")
    .description("lists keys without their secrets, oldest first")
    .option("--all", "revoked ones too")
    .addOption(jsonFlag)
    .action(({ all, json }: JsonFlag & { readonly all?: boolean }) =>
      withDatabase(async ({ database }) => {
        const keys = await listKeys(database.writer);
        const shown = keys.filter(({ revokedAt }) => all === true || revokedAt === undefined);
        const lines = shown.map((key) => `${lineOf(key)}\n`);
        print({ json }, shown.map(jsonOf), lines.length === 0 ? "no keys\n" : lines.join(""));
      }),
    );
  return withExitCodes(command, { 3: "the database does not respond" });
}

function jsonOf({ id, name, scopes, stores, limit, ...at }: ApiKey): object {
  const [createdAt, revokedAt, previousUntil] = [at.createdAt, at.revokedAt, at.previousUntil].map(timeOf);
  return { id, name, scopes, stores: stores ?? null, limit: limit ?? null, createdAt, revokedAt, previousUntil };
}

function lineOf({ id, name, scopes, stores, limit, createdAt, revokedAt, previousUntil = 0 }: ApiKey): string {
  return [
    id,
    name,
    scopes.join(" "),
    stores === undefined ? "all stores" : `stores ${stores.join(" ")}`,
    ...(limit === undefined ? [] : [`${limit.perSecond} events/s, burst ${limit.burst}`]),
    `created ${timeOf(createdAt)}`,
    ...(previousUntil > Date.now() ? [`previous secret valid until ${timeOf(previousUntil)}`] : []),
    ...(revokedAt === undefined ? [] : [`revoked ${timeOf(revokedAt)}`]),
  ].join("  ");
}

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
