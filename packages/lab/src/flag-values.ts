import { InvalidArgumentError } from "commander";

/* Parsers for commander: each takes the text of a flag and throws an InvalidArgumentError that says what was expected. */

/** A whole number from 1. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number from 1 on");
  return value;
}

/** A number from 0. */
export function number(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError("expected a number from 0 on");
  return value;
}

/** A number from 0 to 1. */
export function share(text: string): number {
  const value = number(text);
  if (value > 1) throw new InvalidArgumentError("expected a number from 0 to 1");
  return value;
}

/** Names separated by commas. */
export function list(text: string): readonly string[] {
  return text.split(",");
}

/** NAME=value, as a setting of an app; for a flag that may be repeated. */
export function setting(text: string, before: readonly string[]): readonly string[] {
  if (!/^[A-Z][A-Z0-9_]*=/.test(text)) throw new InvalidArgumentError("expected NAME=value");
  return [...before, text];
}

/** The origin of a server: an HTTP address without a path. */
export function origin(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.pathname}${url.search}${url.hash}` !== "/")
    throw new InvalidArgumentError(`expected an address such as http://127.0.0.1:8080, without a path; got ${text}`);
  return url.origin;
}
