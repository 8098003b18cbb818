import { DatabaseError } from "@tally/database";

/** What a person asked for cannot be done, and the sentence says why. */
export class CommandError extends Error {
  readonly code = "COMMAND";
  readonly exitStatus: number;

  /** `exitStatus` 2 says that the command was used wrongly. */
  constructor(message: string, exitStatus: 1 | 2 = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** Ends the process with one line where a person can mend it; only a surprise shows its stack. */
export function exitForFault(error: unknown): never {
  const known = error instanceof CommandError || error instanceof DatabaseError;
  const text = known
    ? `tally: ${error.message}`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(error instanceof CommandError ? error.exitStatus : 1);
}
