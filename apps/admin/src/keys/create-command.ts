import { actions, createKey, hashOfKeyText, newKeyId, newKeyText, type KeyLimit } from "@tally/access";
import { domains } from "@tally/domains";
import type { Domain } from "@tally/contract";
import { numberFlag } from "@tally/runtime/flag-values";
import { Command, InvalidArgumentError } from "commander";
import { CommandError } from "../command-error.ts";
import { withExitCodes } from "../exit-codes.ts";
import { jsonFlag, print, type JsonFlag } from "../flags.ts";
import { changeKeys } from "./change-commands.ts";

interface CreateFlags extends JsonFlag {
  readonly name: string;
  readonly scope: readonly string[];
  readonly store?: readonly string[];
  readonly rate?: number;
  readonly burst?: number;
}

const eventCount = numberFlag(
  "a whole number from 1 to 1000000",
  (value) => Number.isInteger(value) && value >= 1 && value <= 1_000_000,
);

/** tally keys create: the only time that the key is shown. */
export function createCommand(): Command {
  const command = new Command("create")
    .description("creates a key and shows it once; it works on every gateway within 5 s")
    .requiredOption("--name <text>", "the client that uses it, such as till-5", parseName)
    .requiredOption("--scope <scope...>", "domain:read, domain:write or domain:operate; the domain * means all")
    .option("--store <store...>", "only these stores")
    .option("--rate <number>", "events per second (default: the gateways' setting)", eventCount)
    .option("--burst <number>", "events at once (default: those of one second, at least 1000)", eventCount)
    .addOption(jsonFlag)
    .action(async (flags: CreateFlags) => {
      const { name } = flags;
      const stores = flags.store && [...new Set(flags.store.map(parseStore))];
      const scopes = [...new Set(flags.scope.map((text) => parseScope(text, stores !== undefined)))];
      const limit = limitOf(flags);
      const id = newKeyId();
      const key = newKeyText(id);
      await changeKeys((transaction) =>
        createKey(transaction, { id, name, hash: hashOfKeyText(key), scopes, stores, limit }),
      );
      const created = { id, name, scopes, stores: stores ?? null, limit: limit ?? null, key };
      print(flags, created, `${key}\nThis key is shown only now. Its id is ${id}.\n`);
    });
  return withExitCodes(command, { 3: "the database does not respond" });
}

function limitOf({ rate, burst }: CreateFlags): KeyLimit | undefined {
  if (rate !== undefined) return { perSecond: rate, burst: burst ?? Math.max(rate, 1000) };
  if (burst !== undefined) throw new CommandError("--burst: expected --rate too", 2);
  return undefined;
}

function parseName(text: string): string {
  if (!/^[^\p{Cc}]{1,100}$/u.test(text) || text.trim() === "") {
    throw new InvalidArgumentError("expected 1 to 100 characters on one line");
  }
  return text;
}

/** `isLimited`: the key is limited to stores. Then each of its domains needs routes with stores: all other routes reject the key. */
function parseScope(text: string, isLimited: boolean): string {
  const [name = "", action = "", ...more] = text.split(":");
  if (more.length > 0 || !actions.some((one) => one === action)) {
    throw new CommandError(
      `--scope: expected domain:read, domain:write or domain:operate, got ${text.slice(0, 60)}`,
      2,
    );
  }
  if (name === "*") return text;
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined) {
    const names = domains.map((one) => one.name).join(", ");
    throw new CommandError(`--scope: expected one of the domains ${names} or *, got ${name.slice(0, 60)}`, 2);
  }
  if (isLimited && !hasStores(domain)) {
    throw new CommandError(`--store: the domain ${name} has no stores: it would reject every request with this key`, 2);
  }
  return text;
}

/** Without leading zeros, as routes name a store. */
function parseStore(text: string): string {
  const number = Number(text);
  if (!/^[0-9]{1,16}$/.test(text) || !Number.isSafeInteger(number)) {
    throw new CommandError(`--store: expected the number of a store, got ${text.slice(0, 60)}`, 2);
  }
  return String(number);
}

function hasStores({ routes, queries }: Domain): boolean {
  return [...routes, ...queries].some((route) => "storeOf" in route);
}
