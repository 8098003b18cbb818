import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { Type, type Static } from "typebox";
import { Check } from "typebox/value";
import { usageError, type CommandError } from "../command.ts";
import { nothingWritten } from "./durable-files.ts";
import type { Inspection } from "./inspect-file.ts";
import type { ImportOptions } from "./run-import.ts";

// A state may have been edited.
const Count = Type.Integer({ minimum: 0 });
const WrittenContent = Type.Object({ bytes: Count, sha256: Type.String() });

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

/** The interrupted import's state, or a new one. Throws a CommandError for another file, or other files to write. */
export function stateToGoOn(options: ImportOptions, { identity, sha256, lines, lastLine }: Inspection): ImportState {
  const { file, gateway, domain, name, stateFile, rejectedFile, acknowledgedFile } = options;
  const found = readState(stateFile);
  if (found !== undefined && (found.identity !== identity || found.domain !== domain.name))
    throw usageError(
      `${file}: its import began with other content, as ${found.domain}. With the new content, lines that are stored ` +
        `already would be stored again. Restore the file, or delete ${stateFile} if this is intended`,
    );
  const fromState = (path: string): string => relative(dirname(resolve(stateFile)), resolve(path));
  const files = {
    rejectedFile: fromState(rejectedFile),
    acknowledgedFile: acknowledgedFile === undefined ? null : fromState(acknowledgedFile),
  };
  // Another gateway may belong to another system: everything is sent, and the keys keep it from being stored twice.
  if (found !== undefined && found.url === gateway.url && (name !== undefined || found.sha256 === sha256)) {
    expectSame("--rejected", found.rejectedFile, files.rejectedFile, options);
    expectSame("--acknowledged", found.acknowledgedFile, files.acknowledgedFile, options);
    if (found.through > lastLine)
      throw noState(stateFile, `through: a line up to ${lastLine}, the last of ${file}`, `${found.through}`);
    const settled = found.accepted + found.rejected;
    if (settled > lines)
      throw noState(stateFile, `accepted and rejected: together up to ${lines}, the lines of ${file}`, `${settled}`);
    return found;
  }
  return {
    version: 3,
    identity,
    sha256,
    url: gateway.url,
    domain: domain.name,
    ...files,
    through: 0,
    accepted: 0,
    rejected: 0,
    rejectedContent: nothingWritten,
    acknowledgedContent: nothingWritten,
  };
}

/** Undefined: there is none. Throws a CommandError for a file that is no state. */
function readState(file: string): ImportState | undefined {
  let state: unknown;
  try {
    state = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (Check(ImportState, state)) return state;
  throw noState(file, "the state of an import", "something else");
}

function noState(file: string, expected: string, got: string): CommandError {
  return usageError(
    `${file}: expected ${expected}, got ${got}; delete it to start from the first line, the keys keep lines from being stored twice`,
  );
}

/** A file that changes in the middle would have only some of the lines. */
function expectSame(
  flag: string,
  began: string | null,
  given: string | null,
  { file, stateFile }: Pick<ImportOptions, "file" | "stateFile">,
): void {
  if (began === given) return;
  const shown = (path: string | null): string => (path === null ? "no such file" : resolve(dirname(stateFile), path));
  throw usageError(
    `${file}: ${flag}: expected ${shown(began)}, with which its import began, got ${shown(given)}. Give the same flag, ` +
      `or delete ${stateFile} to send the file again from its first line; the keys keep it from being stored twice`,
  );
}
