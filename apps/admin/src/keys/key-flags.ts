import { isKeyId } from "@tally/access";
import { domains } from "@tally/domains";
import type { Domain } from "@tally/pipeline";
import { InvalidArgumentError } from "commander";
import { CommandError } from "../exit-for-fault.ts";

/** A name of 1 to 100 characters on one line. */
export function parseName(text: string): string {
  if (!/^[^\p{Cc}]{1,100}$/u.test(text) || text.trim() === "") {
    throw new InvalidArgumentError("expected 1 to 100 characters on one line");
  }
  return text;
}

/**
 * A scope, checked against the domains there are. `limited`: the key is limited to stores, so each of its domains must know stores: others have
 * no route that such a key may use.
 */
export function parseScope(text: string, limited: boolean): string {
  const [name = "", action = "", ...more] = text.split(":");
  if (more.length > 0 || !["read", "write"].includes(action)) {
    throw new CommandError(`--scope: expected domain:read or domain:write, got ${text.slice(0, 60)}`, 2);
  }
  if (name === "*") return text;
  const domain = domains.find((one) => one.name === name);
  if (domain === undefined) {
    const names = domains.map((one) => one.name).join(", ");
    throw new CommandError(`--scope: expected one of the domains ${names} or *, got ${name.slice(0, 60)}`, 2);
  }
  if (limited && !knowsStores(domain)) {
    throw new CommandError(`--store: the domain ${name} knows no stores, so such a key could do nothing there`, 2);
  }
  return text;
}

/** A store's id without leading zeros, as routes name it. */
export function parseStore(text: string): string {
  const number = Number(text);
  if (!/^[0-9]{1,16}$/.test(text) || !Number.isSafeInteger(number)) {
    throw new CommandError(`--store: expected the number of a store, got ${text.slice(0, 60)}`, 2);
  }
  return String(number);
}

/** Throws a CommandError for a text that is no key's id. Never shows the text: it may be a key. */
export function expectKeyId(text: string): void {
  if (!isKeyId(text))
    throw new CommandError("expected the id of a key, 16 hex digits as `tally keys list` shows it", 2);
}

export function noSuchKey(id: string, why: "absent" | "revoked"): CommandError {
  return new CommandError(why === "absent" ? `there is no key ${id}` : `the key ${id} is revoked`, 2);
}

export function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number of seconds");
  return value;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,7}$/.test(text) || value < 1 || value > 1_000_000) {
    throw new InvalidArgumentError("expected a whole number from 1 to 1000000");
  }
  return value;
}

function knowsStores({ routes, queries }: Domain): boolean {
  return [...routes, ...queries].some((route) => "storeOf" in route);
}
