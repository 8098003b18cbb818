import { InvalidArgumentError } from "commander";

/* What commander calls with the text of a flag. */

/** A flag that may be repeated: settings. */
export function setting(text: string, before: readonly string[]): readonly string[] {
  if (!/^[A-Z][A-Z0-9_]*=/.test(text)) throw new InvalidArgumentError("expected NAME=value");
  return [...before, text];
}

/** From 1 on. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number from 1 on");
  return value;
}

/** From 0 on. */
export function number(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError("expected a number from 0 on");
  return value;
}

/** From 0 to 1. */
export function share(text: string): number {
  const value = number(text);
  if (value > 1) throw new InvalidArgumentError("expected a number from 0 to 1");
  return value;
}
