import { numberFlag } from "@tally/runtime/flag-values";
import { InvalidArgumentError } from "commander";

export const share = numberFlag("a number from 0 to 1", (value) => value <= 1);

export function list(text: string): readonly string[] {
  return text.split(",");
}

export type NamedValue = readonly [name: string, value: string];

/** NAME=value, as a setting of an app; for a flag that may be repeated. */
export function setting(text: string, before: readonly NamedValue[]): readonly NamedValue[] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("expected NAME=value");
  return [...before, [name, value]];
}
