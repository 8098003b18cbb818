import type { Command } from "commander";

/** The exit codes of all commands. */
export const exitCodes = {
  ok: 0,
  /**
   * The command did its work and found something, such as a difference or a rejected line; or it could not do all of
   * its work.
   */
  finding: 1,
  usage: 2,
  /** A server does not respond, or is too busy for too long; for `audit` also: events are still under way. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What 1 and 3 mean for a command; absent: it never exits so. 0 and 2 mean the same for all. */
export interface OwnCodes {
  readonly 1?: string;
  readonly 3?: string;
}

const codesOfCommands = new WeakMap<Command, OwnCodes>();

/** Documents the exit codes of a command in its help and in docs/commands.md. */
export function withExitCodes(command: Command, codes: OwnCodes): Command {
  codesOfCommands.set(command, codes);
  const [finding, unreachable] = [codes[1], codes[3]];
  const texts = [
    "0 done",
    ...(finding === undefined ? [] : [`1 ${finding}`]),
    "2 wrong usage",
    ...(unreachable === undefined ? [] : [`3 ${unreachable}`]),
  ];
  return command.addHelpText("after", `\nExit code: ${texts.join(", ")}.`);
}

/** What `withExitCodes` was told; undefined for a group of commands. */
export const exitCodesOf = (command: Command): OwnCodes | undefined => codesOfCommands.get(command);
