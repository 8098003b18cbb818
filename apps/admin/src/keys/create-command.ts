import { createKey, hashOfKeyText, newKeyId, newKeyText, type KeyLimit } from "@tally/access";
import { Command } from "commander";
import { CommandError } from "../exit-for-fault.ts";
import { changeKeys } from "./change-keys.ts";
import { parseName, parseScope, parseStore, wholeNumber } from "./key-flags.ts";

interface CreateFlags {
  readonly name: string;
  readonly scope: readonly string[];
  readonly store?: readonly string[];
  readonly rate?: number;
  readonly burst?: number;
  readonly json?: boolean;
}

/** tally keys create: the only moment at which the key is shown. */
export function createCommand(): Command {
  return new Command("create")
    .description("creates a key and shows it once; it works on every gateway within 5 s")
    .requiredOption("--name <text>", "who uses it, such as till-5", parseName)
    .requiredOption("--scope <scope...>", "domain:read or domain:write; * in place of the domain stands for all")
    .option("--store <store...>", "only these stores")
    .option("--rate <number>", "events per second; absent: as the gateways' settings say", wholeNumber)
    .option("--burst <number>", "events at once; absent: as many as in one second, at least 1000", wholeNumber)
    .option("--json", "as JSON")
    .action(async (flags: CreateFlags) => {
      const { name, json } = flags;
      const stores = flags.store && [...new Set(flags.store.map(parseStore))];
      const scopes = [...new Set(flags.scope.map((text) => parseScope(text, stores !== undefined)))];
      const limit = limitOf(flags);
      const id = newKeyId();
      const key = newKeyText(id);
      await changeKeys((transaction) =>
        createKey(transaction, { id, name, hash: hashOfKeyText(key), scopes, stores, limit }),
      );
      process.stdout.write(
        json === true
          ? `${JSON.stringify({ id, name, scopes, stores: stores ?? null, limit: limit ?? null, key }, undefined, 2)}\n`
          : `${key}\nThis key is shown only now. Its id is ${id}.\n`,
      );
    });
}

function limitOf({ rate, burst }: CreateFlags): KeyLimit | undefined {
  if (rate !== undefined) return { perSecond: rate, burst: burst ?? Math.max(rate, 1000) };
  if (burst !== undefined) throw new CommandError("--burst: expected --rate beside it", 2);
  return undefined;
}
