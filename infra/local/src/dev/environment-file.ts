import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A file of variables as `node --env-file` reads it. Deleted when this process exits, except by SIGKILL. */
export function environmentFile(file: string) {
  const remove = (): void => rmSync(file, { force: true });
  return {
    /** Atomic. Only the owner can read the file, because it has passwords. Throws for a value that a line cannot hold.
     */
    write(variables: Readonly<Record<string, string | undefined>>): void {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // Under another name first: an existing file would keep its mode, and a reader could see half of it.
      rmSync(`${file}.new`, { force: true });
      writeFileSync(`${file}.new`, Object.entries(variables).map(lineOf).join(""), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      process.once("exit", remove);
    },
    /** Does nothing when the file does not exist. */
    remove(): void {
      remove();
      process.removeListener("exit", remove);
    },
  };
}

// Unquoted, node cuts a value at "#". Between single quotes no character is special.
function lineOf([name, value = ""]: readonly [string, string | undefined]): string {
  if (/['\n]/.test(value)) throw new TypeError(`${name} holds a quote or a line break`);
  return `${name}='${value}'\n`;
}
