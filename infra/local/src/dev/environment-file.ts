import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface EnvironmentFile {
  /** All at once and readable by its owner only: passwords are in it. Throws for a value that its lines cannot hold. */
  write(variables: Readonly<Record<string, string>>): void;
  /** Does nothing where there is none. */
  remove(): void;
}

/** A file of variables as `node --env-file` reads it. It is gone when this process ends, unless by SIGKILL. */
export function environmentFile(file: string): EnvironmentFile {
  const remove = (): void => rmSync(file, { force: true });
  return {
    write(variables) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // Under another name first: a file that exists would keep its mode, and nobody may read half of it.
      rmSync(`${file}.new`, { force: true });
      writeFileSync(`${file}.new`, Object.entries(variables).map(lineOf).join(""), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      process.once("exit", remove);
    },
    remove() {
      remove();
      process.removeListener("exit", remove);
    },
  };
}

// Unquoted, node cuts a value at "#"; between single quotes nothing is special.
function lineOf([name, value]: readonly [string, string]): string {
  if (/['\n]/.test(value)) throw new TypeError(`${name} holds a quote or a line break`);
  return `${name}='${value}'\n`;
}
