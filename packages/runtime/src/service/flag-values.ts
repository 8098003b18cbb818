import { InvalidArgumentError } from "commander";

/* Parsers for commander: each takes the text of a flag, and throws an InvalidArgumentError with what was expected. */

/** A parser for numbers in decimal digits that fulfil a condition; `isValid` gets NaN for any other text. */
export function numberFlag(expected: string, isValid: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!isValid(value)) throw new InvalidArgumentError(`expected ${expected}`);
    return value;
  };
}

export const wholeNumber = numberFlag("a whole number from 1 on", (value) => Number.isSafeInteger(value) && value >= 1);
export const number = numberFlag("a number from 0 on", (value) => Number.isFinite(value));

/** The origin of a server: an HTTP address without a path. */
export function origin(text: string): string {
  const url = URL.parse(text);
  const { username = "", password = "" } = url ?? {};
  if (username + password !== "") throw new InvalidArgumentError("expected an address without user and password");
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.pathname}${url.search}${url.hash}` !== "/")
    throw new InvalidArgumentError(`expected an address such as http://127.0.0.1:8080, without a path; got ${text}`);
  return url.origin;
}

export const wholeNumberTo = (max: number) =>
  numberFlag(`a whole number from 1 to ${max}`, (value) => Number.isInteger(value) && value >= 1 && value <= max);
