import { dirname, relative, resolve } from "node:path";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { noState, readState, type ImportState } from "./import-state.ts";
import type { Inspection } from "./inspect-file.ts";
import { nothingWritten } from "./resumed-file.ts";
import type { ImportOptions } from "./run-import.ts";

/**
 * The state from which an import goes on: that of the interrupted one, or a new one. Throws a CommandError when the interrupted one was of
 * another file, or wrote its lines to other files.
 */
export function stateToGoOn(options: ImportOptions, { identity, sha256, lines, lastLine }: Inspection): ImportState {
  const { file, gateway, domain, name, stateFile, rejectedFile, acknowledgedFile } = options;
  const found = readState(stateFile);
  if (found !== undefined && (found.identity !== identity || found.domain !== domain.name))
    throw new CommandError(
      `${file}: its import began with other content, as ${found.domain}. With the new content, lines that are stored already would be stored again. ` +
        `Restore the file, or delete ${stateFile} if this is intended`,
      exitCodes.usage,
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

/** A file that changes in the middle would have only some of the lines. */
function expectSame(
  flag: string,
  began: string | null,
  given: string | null,
  { file, stateFile }: Pick<ImportOptions, "file" | "stateFile">,
): void {
  if (began === given) return;
  const shown = (path: string | null): string => (path === null ? "no such file" : resolve(dirname(stateFile), path));
  throw new CommandError(
    `${file}: ${flag}: expected ${shown(began)}, with which its import began, got ${shown(given)}. Give the same flag, ` +
      `or delete ${stateFile} to send the file again from its first line; the keys keep it from being stored twice`,
    exitCodes.usage,
  );
}
