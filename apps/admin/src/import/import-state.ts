import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Type, type Static } from "typebox";
import { Check } from "typebox/value";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { syncDirectoryOf } from "./sync-directory.ts";

// A state may have been edited.
const Count = Type.Integer({ minimum: 0 });

/** What a file has of the lines that a state counts; what follows in the file is written again. */
const WrittenContent = Type.Object({ bytes: Count, sha256: Type.String() });
export type WrittenContent = Static<typeof WrittenContent>;

/** How far an import has come. Lines after `through` are sent again by the next import, with equal keys. */
const ImportState = Type.Object({
  version: Type.Literal(3),
  identity: Type.String(),
  /** Of the content at the start of the import. */
  sha256: Type.String(),
  url: Type.String(),
  domain: Type.String(),
  /** Where rejected lines and ids are written, seen from the folder of the state; null: nowhere. */
  rejectedFile: Type.String(),
  acknowledgedFile: Type.Union([Type.String(), Type.Null()]),
  /** Every line up to this one is accepted or rejected. */
  through: Count,
  accepted: Count,
  rejected: Count,
  rejectedContent: WrittenContent,
  acknowledgedContent: WrittenContent,
});
export type ImportState = Static<typeof ImportState>;

/** The state of an interrupted import; undefined without one. Throws a CommandError for a file that is no state. */
export function readState(file: string): ImportState | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const state = parsed(text);
  if (state !== undefined) return state;
  throw noState(file, "the state of an import", "something else");
}

/** The file is no state from which an import can go on. */
export function noState(file: string, expected: string, got: string): CommandError {
  return new CommandError(
    `${file}: expected ${expected}, got ${got}; delete it to start from the first line, the keys keep lines from being stored twice`,
    exitCodes.usage,
  );
}

/** Atomic: a kill, or a crash of the machine, leaves this state or the one before. What it counts must be on disk before. Costs two fsyncs. */
export function writeState(file: string, state: ImportState): void {
  const next = `${file}.new`;
  const descriptor = openSync(next, "w");
  try {
    writeFileSync(descriptor, JSON.stringify(state));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(next, file);
  syncDirectoryOf(file);
}

/** The import is complete. */
export function removeState(file: string): void {
  rmSync(file, { force: true });
}

function parsed(text: string): ImportState | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Check(ImportState, value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
