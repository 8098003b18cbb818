import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a new or changed name in the directory of this file durable. */
export function syncDirectoryOf(file: string): void {
  const directory = openSync(dirname(file), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
