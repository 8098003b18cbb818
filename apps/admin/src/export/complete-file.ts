import { rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";

/**
 * Writes a file completely or not at all: under another name beside it, which becomes its name after `write` has
 * returned and the bytes are on disk. An error or Ctrl-C removes the other name; a kill leaves it.
 */
export async function writeCompleteFile(path: string, write: (stream: Writable) => Promise<void>): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  const remove = (): void => rmSync(partial, { force: true });
  const file = await open(partial, "wx");
  process.once("exit", remove);
  const stream = file.createWriteStream({ flush: true });
  const writeAll = async (): Promise<void> => {
    await write(stream);
    stream.end();
  };
  try {
    await Promise.all([finished(stream), writeAll()]);
    await rename(partial, path);
  } finally {
    stream.destroy();
    remove();
    process.removeListener("exit", remove);
  }
}
