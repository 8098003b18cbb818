import { addressVariables, runTally as runIn, type System } from "@tally/local";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { root as checkout, startProcess } from "./programs.ts";

type Target = Pick<System, "namespace" | "addresses"> & { readonly root?: string; readonly url?: string };

const environmentOf = ({ namespace, addresses, url }: Target): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NAMESPACE: namespace,
  TALLY_URL: url,
  ...addressVariables(addresses),
});

/** Runs `tally ...` on a system in a separate process, from the checkout that the system was started from. Its commands
 * talk to the first gateway. `more` are environment variables. */
export function runTally(target: Target, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return runIn(target.root ?? checkout, { ...environmentOf(target), ...more }, args);
}

/** Fails unless a command has ended with this exit code, and has printed this besides its progress. */
export function expectEnd({ exitCode, output, errors }: Ended, expected: number, text: string | RegExp): void {
  expect([exitCode, output + withoutProgress(errors)]).toEqual([expected, expect.stringMatching(text)]);
}

type Ended = Awaited<ReturnType<typeof runTally>>;

/** What a command wrote to stderr besides its progress, which it shows after 5 s: on a busy machine. */
export function withoutProgress(errors: string): string {
  return errors.replaceAll(
    /^tally: (.* \(.*\/s\)|waits, because .*|nothing is under way|found differences; .*)\n/gm,
    "",
  );
}

/** Likewise, and returns what it prints with --json. */
export async function tallyJson(target: Target, ...args: readonly string[]) {
  const { output, errors, exitCode } = await runTally(target, [...args, "--json"]);
  if (output === "") throw new Error(`tally ${args.join(" ")} ended with ${exitCode} and printed nothing: ${errors}`);
  return JSON.parse(output);
}

interface Letter {
  readonly id: string;
  readonly domain: string;
  readonly stage: string;
  readonly state: string;
  readonly messageId: string;
  readonly reason: string;
  readonly event?: object;
  /** Base64. */
  readonly message?: string;
}

/** The dead letters that `tally dead-letters list` prints; without flags the open ones. */
export async function deadLetters(system: System, ...flags: readonly string[]): Promise<readonly Letter[]> {
  return tallyJson(system, "dead-letters", "list", ...flags);
}

/** Starts it with `input` on stdin, as a process that the test may kill. */
export function startTally(system: System, args: readonly string[], input = "") {
  const main = join(checkout, "apps", "admin", "src", "main.ts");
  return startProcess(process.execPath, [main, ...args], environmentOf(system), input);
}

type Acknowledged = readonly string[] | ReadonlySet<string>;

/** A file of acknowledged ids, for `tally audit --acknowledged`. */
export async function fileOf(acknowledged: Acknowledged): Promise<string> {
  const file = join(await temporaryDirectory(), "acknowledged");
  await writeFile(file, Array.from(acknowledged, (id) => `${id}\n`).join(""));
  return file;
}

/** The report of `tally audit` for these acknowledged ids. */
export const auditOf = async (target: Target, acknowledged: Acknowledged, ...flags: readonly string[]) =>
  tallyJson(target, "audit", "--acknowledged", await fileOf(acknowledged), ...flags);

/** Fails unless all of these events are stored and ranked, each once, and no others. */
export async function expectAllKept(system: Target, ids: Acknowledged, ...flags: readonly string[]): Promise<void> {
  const { length } = [...ids];
  expect(await auditOf(system, ids, ...flags)).toMatchObject({
    agrees: true,
    audit: { acknowledged: length, stored: length, ranked: length, lost: 0, doubled: 0, unacknowledged: 0 },
  });
}

/** Creates a key with `tally keys create` and waits until each gateway has it. Takes one token of the key's rate limit
 * at each gateway. */
export async function createKey(system: System, ...flags: readonly string[]) {
  const made = await keysCommand(system, "create", "--name", "a test", ...flags);
  for (const url of system.urls) await vi.waitFor(async () => expect(await knows(url, made.key)).toBe(true), 15_000);
  return made;
}

/** Runs `tally keys ...` with --json. */
export const keysCommand = async (system: System, ...args: readonly string[]): Promise<Record<"id" | "key", string>> =>
  tallyJson(system, "keys", ...args);

/** Returns whether a gateway accepts a key. */
export async function knows(url: string, key: string): Promise<boolean> {
  const response = await fetch(`${url}/events/01a1fb30-2980-71ee-89cd-4f71757df440`, { headers: bearer(key) });
  await response.arrayBuffer();
  return response.status === 200;
}

export function bearer(key: string) {
  return { authorization: `Bearer ${key}` };
}
