import type { System } from "@tally/local";
import { expect, vi } from "vitest";
import { runTally } from "./run-tally.ts";

export interface TestKey {
  readonly id: string;
  readonly key: string;
}

/** Creates a key with `tally keys create` and waits until each gateway has it. Takes one token of the key's rate limit at each gateway. */
export async function createKey(system: System, ...flags: readonly string[]): Promise<TestKey> {
  const made = await keysCommand(system, "create", "--name", "a test", ...flags);
  for (const url of system.urls) await vi.waitFor(async () => expect(await knows(url, made.key)).toBe(true), 15_000);
  return made;
}

/** Runs `tally keys ...` with --json. */
export async function keysCommand(system: System, ...args: readonly string[]): Promise<TestKey> {
  const { exitCode, output, errors } = await runTally(system, ["keys", ...args, "--json"]);
  expect([exitCode, errors]).toEqual([0, ""]);
  // The shape of what the command prints.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(output) as TestKey;
}

/** Returns whether a gateway accepts a key. */
export async function knows(url: string, key: string): Promise<boolean> {
  const response = await fetch(`${url}/events/01a1fb30-2980-71ee-89cd-4f71757df440`, { headers: bearer(key) });
  await response.arrayBuffer();
  return response.status === 200;
}

export function bearer(key: string) {
  return { authorization: `Bearer ${key}` };
}
