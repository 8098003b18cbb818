import { fieldOf, parsed } from "../json.ts";
import { TallyClientError } from "../tally-client-error.ts";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/*
 * The lines of a journal, each a JSON object:
 *
 *   {"number":7,"purchase":{…}}   a purchase that was added
 *   {"settled":[5,6,7]}           these no longer wait
 */

export const addedLine = (number: number, text: string): string => `{"number":${number},"purchase":${text}}\n`;

export const settledLine = (numbers: readonly number[]): string => `${JSON.stringify({ settled: numbers })}\n`;

interface ReadJournal {
  /** What waits: the text of each purchase by its number, in the order in which they were added. */
  readonly waiting: Map<number, string>;
  readonly highestNumber: number;
  /** The size of the complete lines. What follows was not written to its end: no `append()` has resolved for it. */
  readonly bytes: number;
}

/** Throws JOURNAL_DAMAGED for a complete line that is not one of the above. */
export function readLines(path: string, file: Buffer): ReadJournal {
  const bytes = file.lastIndexOf(0x0a) + 1;
  const waiting = new Map<number, string>();
  let highestNumber = 0;
  const lines = file.toString("utf8", 0, bytes).split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const read = readLine(line);
    if (read === undefined) throw new TallyClientError("JOURNAL_DAMAGED", `${path}, line ${index + 1}`);
    if ("settled" in read) for (const number of read.settled) waiting.delete(number);
    else {
      waiting.set(read.number, read.text);
      highestNumber = Math.max(highestNumber, read.number);
    }
  }
  return { waiting, highestNumber, bytes };
}

type Line = { readonly settled: readonly number[] } | { readonly number: number; readonly text: string };

function readLine(line: string): Line | undefined {
  const value = parsed(line);
  const [settled, number, purchase] = ["settled", "number", "purchase"].map((name) => fieldOf(value, name));
  if (Array.isArray(settled) && settled.every((one) => typeof one === "number")) return { settled };
  const isPurchase = typeof number === "number" && typeof purchase === "object" && purchase !== null;
  return isPurchase ? { number, text: JSON.stringify(purchase) } : undefined;
}

/** A file that grows by whole writes. Calls must not overlap. */
export class AppendFile {
  readonly #path: string;
  readonly #isHeld: () => Promise<boolean>;
  #handle: FileHandle;
  #size: number;
  // Set when the end of the file is unknown.
  #broken: unknown;

  private constructor(path: string, handle: FileHandle, size: number, isHeld: () => Promise<boolean>) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
    this.#isHeld = isHeld;
  }

  /** Opens or creates the file, and cuts it to `size` bytes; undefined: keeps all, and ends a line that a crash has cut.
   * Only its owner may read it. `isHeld`: of its lock. */
  static async open(path: string, size: number | undefined, isHeld: () => Promise<boolean>): Promise<AppendFile> {
    // A crash has left it before it replaced the file.
    await rm(newFileOf(path), { force: true });
    const handle = await open(path, "a+", 0o600);
    try {
      if (size !== undefined) await handle.truncate(size);
      await syncDirectory(path);
      const file = new AppendFile(path, handle, size ?? (await handle.stat()).size, isHeld);
      const last = size === undefined && file.#size > 0 && (await handle.read(Buffer.alloc(1), 0, 1, file.#size - 1));
      if (last !== false && last.buffer[0] !== 0x0a) await file.append("\n", { durable: false });
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Appends all of the text or nothing. With `durable` it is on disk when this resolves. */
  async append(text: string, { durable }: { readonly durable: boolean }): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    await this.#expectHeld();
    const bytes = Buffer.from(text);
    try {
      await this.#handle.appendFile(bytes);
      if (durable) await this.#handle.datasync();
    } catch (error) {
      // A part of a line would damage the next one.
      await this.#handle.truncate(this.#size).catch(() => (this.#broken = error));
      throw error;
    }
    this.#size += bytes.length;
  }

  async clear(): Promise<void> {
    await this.#expectHeld();
    await this.#handle.truncate(0);
    this.#size = 0;
    this.#broken = undefined;
  }

  /** Replaces the content: after a crash the file has the old or the new one. */
  async replace(text: string): Promise<void> {
    await this.#expectHeld();
    const path = newFileOf(this.#path);
    const bytes = Buffer.from(text);
    const next = await open(path, "w", 0o600);
    try {
      await next.writeFile(bytes);
      await next.sync();
    } finally {
      await next.close();
    }
    // Closed first: Windows does not replace an open file.
    await this.#handle.close();
    try {
      await rename(path, this.#path);
      this.#size = bytes.length;
    } finally {
      this.#handle = await open(this.#path, "a", 0o600);
    }
    await syncDirectory(this.#path);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** A process that was frozen must not write beside the one that has taken over. */
  async #expectHeld(): Promise<void> {
    if (!(await this.#isHeld())) throw new Error("another process has taken the journal over");
  }
}

const newFileOf = (path: string): string => `${path}.new`;

/** Makes a new name durable: of a file that was created or renamed. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows does not open directories; its names are durable with the file.
  if (process.platform === "win32") return;
  const directory = await open(dirname(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
