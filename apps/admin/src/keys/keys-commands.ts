import { actions, createKey, hashOfKeyText, isKeyId, listKeys, newKeyId, newKeyText, revokeKey } from "@tally/access";
import { rotateKey } from "@tally/access";
import type { ApiKey, KeyLimit } from "@tally/access";
import type { Domain, SqlTransaction } from "@tally/contract";
import { domains } from "@tally/domains";
import { numberFlag, wholeNumberTo } from "@tally/runtime/flag-values";
import { InvalidArgumentError, type Command } from "commander";
import { groupOf, newCommand, usageError, type CommandError } from "../command.ts";
import { type JsonFlag, jsonFlag, print } from "../flags.ts";
import { withDatabase } from "../open-servers.ts";

interface CreateFlags extends JsonFlag {
  readonly name: string;
  readonly scope: readonly string[];
  readonly store?: readonly string[];
  readonly rate?: number;
  readonly burst?: number;
}

const eventCount = wholeNumberTo(1_000_000);

/** tally keys */
export function keysCommand(): Command {
  const commands = [createCommand(), listCommand(), rotateCommand(), revokeCommand()];
  return groupOf("keys", "API keys of tills, stores, devices and teams", commands);
}

/** tally keys create: the only time that the key is shown. */
function createCommand(): Command {
  return newCommand("create", { 3: "the database does not respond" })
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
}

function limitOf({ rate, burst }: CreateFlags): KeyLimit | undefined {
  if (rate !== undefined) return { perSecond: rate, burst: burst ?? Math.max(rate, 1000) };
  if (burst !== undefined) throw usageError("--burst: expected --rate too");
  return undefined;
}

function parseName(text: string): string {
  if (!/^[^\p{Cc}]{1,100}$/u.test(text) || text.trim() === "")
    throw new InvalidArgumentError("expected 1 to 100 characters on one line");
  return text;
}

/** A key limited to stores needs domains whose routes have stores: all other routes reject it. */
function parseScope(text: string, isLimited: boolean): string {
  const [name = "", action = "", ...more] = text.split(":");
  if (more.length > 0 || !actions.some((one) => one === action))
    throw usageError(`--scope: expected domain:read, domain:write or domain:operate, got ${text.slice(0, 60)}`);
  if (name === "*") return text;
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined) {
    const names = domains.map((one) => one.name).join(", ");
    throw usageError(`--scope: expected one of the domains ${names} or *, got ${name.slice(0, 60)}`);
  }
  if (isLimited && !hasStores(domain))
    throw usageError(`--store: the domain ${name} has no stores: it would reject every request with this key`);
  return text;
}

/** Without leading zeros, as routes name a store. */
function parseStore(text: string): string {
  const number = Number(text);
  if (!/^[0-9]{1,16}$/.test(text) || !Number.isSafeInteger(number))
    throw usageError(`--store: expected the number of a store, got ${text.slice(0, 60)}`);
  return String(number);
}

function hasStores({ routes, queries }: Domain): boolean {
  return [...routes, ...queries].some((route) => "storeOf" in route);
}

function listCommand(): Command {
  return newCommand("list", { 3: "the database does not respond" })
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

function timeOf(at: number | null = null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

const withinMs = 15_000;
const seconds = numberFlag("a whole number of seconds", (value) => Number.isInteger(value) && value < 1e9);

/** tally keys rotate: the only time that the new key is shown. */
function rotateCommand(): Command {
  return newCommand("rotate", { 3: "the database does not respond" })
    .description("gives a key a new secret and shows it once; the previous one stays valid for a while")
    .argument("<id>")
    .option("--grace <seconds>", "how long the previous secret stays valid; 0 ends it within 5 s", seconds, 86_400)
    .addOption(jsonFlag)
    .action(async (id: string, { grace, json }: JsonFlag & { readonly grace: number }) => {
      expectKeyId(id);
      const key = newKeyText(id);
      const previousUntil = grace === 0 ? null : Date.now() + grace * 1000;
      const outcome = await changeKeys((transaction) =>
        rotateKey(transaction, { id, hash: hashOfKeyText(key), previousUntil }),
      );
      if (typeof outcome === "object") throw isRotating(id, outcome.rotatingUntil);
      if (outcome !== "rotated") throw noSuchKey(id, outcome);
      const until = timeOf(previousUntil);
      const validity = until === null ? "ends within 5 s" : `is valid until ${until}`;
      const text = `${key}\nThis key is shown only now. The previous one ${validity}.\n`;
      print({ json }, { id, key, previousUntil: until }, text);
    });
}

function revokeCommand(): Command {
  return newCommand("revoke", { 3: "the database does not respond" })
    .description("makes a key invalid for good, on every gateway within 5 s; safe to repeat")
    .argument("<id>")
    .addOption(jsonFlag)
    .action(async (id: string, flags: JsonFlag) => {
      expectKeyId(id);
      const outcome = await changeKeys((transaction) => revokeKey(transaction, id));
      if (outcome !== "revoked") throw noSuchKey(id, outcome);
      print(flags, { id, revoked: true }, `revoked ${id}\n`);
    });
}

/** Runs one change of keys in a transaction. Throws a DatabaseError if it cannot commit within 15 s. */
function changeKeys<T>(change: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
  return withDatabase(({ database }) => database.transaction(change, { giveUpAfterMs: withinMs }));
}

/** Does not print the text: it may be a key. */
function expectKeyId(text: string): void {
  if (!isKeyId(text)) throw usageError("expected the id of a key, 16 hex digits as `tally keys list` shows it");
}

function isRotating(id: string, until: number): CommandError {
  return usageError(
    `the key ${id} is rotating: its previous secret is valid until ${timeOf(until)}; --grace 0 ends both within 5 s; ` +
      "if the new one is lost, make another key with `tally keys create`",
  );
}

function noSuchKey(id: string, why: "absent" | "revoked"): CommandError {
  return usageError(why === "absent" ? `there is no key ${id}` : `the key ${id} is revoked`);
}
