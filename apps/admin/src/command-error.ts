import { DatabaseError } from "@tally/database";

/** A command cannot do what was asked. The message names the cause in one line. */
export class CommandError extends Error {
  readonly code = "COMMAND";
  readonly exitStatus: number;

  /** `exitStatus` 2: wrong usage. */
  constructor(message: string, exitStatus: 1 | 2 = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** Exits with 2 on wrong usage, else with 1. Prints one line for a known error, the stack of any other. */
export function exitForError(error: unknown): never {
  const isKnown = error instanceof CommandError || error instanceof DatabaseError;
  const text = isKnown ? `tally: ${error.message}` : error instanceof Error ? (error.stack ?? error.message) : error;
  process.stderr.write(`${String(text)}\n`);
  process.exit(error instanceof CommandError ? error.exitStatus : 1);
}
