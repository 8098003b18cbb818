import { DatabaseError } from "@tally/database";
import { InvalidInput } from "@tally/contract";
import { RankingsUnavailable } from "@tally/redis";
import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** A command cannot do what was asked. The message names the cause in one line. */
export class CommandError extends Error {
  readonly code = "COMMAND";
  readonly exitCode: Exclude<ExitCode, 0>;

  /** Default: a finding. */
  constructor(message: string, exitCode: Exclude<ExitCode, 0> = exitCodes.finding) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The user gave something wrong. */
export function usageError(message: string): CommandError {
  return new CommandError(message, exitCodes.usage);
}

/** Exits with the code of the error. Prints one line for a known error, the stack of any other, which is a bug. */
export function exitForError(error: unknown): never {
  const { text, exitCode } = known(error) ?? { text: stackOf(error), exitCode: exitCodes.finding };
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}

/** Undefined: an error that no user can cause. */
function known(error: unknown): { readonly text: string; readonly exitCode: ExitCode } | undefined {
  if (!(error instanceof Error)) return undefined;
  const withCode = (exitCode: ExitCode) => ({ text: `tally: ${error.message}`, exitCode });
  if (error instanceof CommandError) return withCode(error.exitCode);
  if (error instanceof DatabaseError)
    return withCode(error.kind === "unavailable" ? exitCodes.unreachable : exitCodes.finding);
  if (error instanceof RankingsUnavailable) return withCode(exitCodes.unreachable);
  if (error instanceof InvalidInput) return withCode(exitCodes.usage);
  // Node's errors of files name the file: "ENOENT: no such file or directory, open 'sales.csv'".
  return "path" in error && "syscall" in error ? withCode(exitCodes.usage) : undefined;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
