import { DatabaseError, UnexpectedState } from "@tally/database";
import { InvalidInput } from "@tally/contract";
import { RankingsUnavailable } from "@tally/redis";
import { Command } from "commander";

/** A command cannot do what was asked. The message names the cause in one line. */
export class CommandError extends Error {
  readonly exitCode: Exclude<ExitCode, 0>;

  /** Default: a finding. */
  constructor(message: string, exitCode: Exclude<ExitCode, 0> = exitCodes.finding) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, exitCodes.usage);
}

/** Exits with the code of the error. Prints one line for a known error, the stack of any other, which is a bug. */
export function exitForError(error: unknown): never {
  const fault = error instanceof Error ? error : new Error(String(error));
  const exitCode = codeOf(fault);
  process.stderr.write(`${exitCode === undefined ? fault.stack : `tally: ${fault.message}`}\n`);
  process.exit(exitCode ?? exitCodes.finding);
}

/** Undefined: an error that no user can cause. */
function codeOf(error: Error): ExitCode | undefined {
  if (error instanceof CommandError) return error.exitCode;
  const isBusy = error instanceof DatabaseError && (error.kind === "unavailable" || error.kind === "retry");
  if (isBusy) return exitCodes.unreachable;
  if (error instanceof DatabaseError || error instanceof UnexpectedState) return exitCodes.finding;
  if (error instanceof RankingsUnavailable) return exitCodes.unreachable;
  if (error instanceof InvalidInput) return exitCodes.usage;
  // Node's errors of files are such as "EISDIR: illegal operation on a directory, read", others "read ECONNRESET".
  return "syscall" in error && /^E\w+: /.test(error.message) ? exitCodes.usage : undefined;
}

/** The exit codes of all commands. */
export const exitCodes = {
  ok: 0,
  /** The command found something, such as a difference or a rejected line, or could not do all of its work. */
  finding: 1,
  usage: 2,
  /** A server does not respond, or is too busy for too long; for `audit` also: events are still under way. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What 1 and 3 mean for a command; absent: it never exits so. 0 and 2 mean the same for all. */
type OwnCodes = Readonly<Partial<Record<1 | 3, string>>>;

const codesOfCommands = new WeakMap<Command, OwnCodes>();

/** A command whose help and row in docs/commands.md have its exit codes. */
export function newCommand(name: string, codes: OwnCodes): Command {
  const command = new Command(name);
  codesOfCommands.set(command, codes);
  const own = Object.entries(codes).map(([code, text]) => `${code} ${text}`);
  const texts = ["0 done", ...own, "2 wrong usage"].toSorted();
  return command.addHelpText("after", `\nExit code: ${texts.join(", ")}.`);
}

export function groupOf(name: string, description: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(description);
  for (const command of commands) group.addCommand(command);
  return group;
}

/** The codes given to `newCommand`; undefined for a group of commands. */
export const exitCodesOf = (command: Command): OwnCodes | undefined => codesOfCommands.get(command);
