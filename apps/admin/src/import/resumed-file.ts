import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import { parse, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { syncDirectoryOf } from "./sync-directory.ts";

/** A file that grows with an import and can be cut back to what an earlier state of it had. */
export class ResumedFile {
  readonly path: string;
  /** The new name of a file that had this name; undefined: there was none. */
  readonly earlier: string | undefined;
  readonly #head: string;
  #descriptor: number | undefined;
  #bytes: number;
  #syncedBytes: number;

  /**
   * Keeps the first `bytes` of an existing file, and throws a CommandError for a shorter one. With 0 an existing file gets another name, because
   * someone may have corrected lines in it. `head` begins a new file.
   */
  constructor(path: string, bytes: number, head: string) {
    this.path = path;
    this.#head = head;
    this.#bytes = bytes;
    this.#syncedBytes = bytes;
    if (bytes > 0) this.#descriptor = openAt(path, bytes);
    else if (existsSync(path)) {
      this.earlier = earlierName(path);
      renameSync(path, this.earlier);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Appends; creates the file first. */
  append(text: string): void {
    if (text === "") return;
    this.#descriptor ??= openSync(this.path, "wx");
    const piece = Buffer.from(this.#bytes === 0 ? this.#head + text : text);
    for (let written = 0; written < piece.length;) {
      written += writeSync(this.#descriptor, piece, written, piece.length - written, this.#bytes + written);
    }
    this.#bytes += piece.length;
  }

  /** What was appended is on disk when this returns. */
  sync(): void {
    if (this.#descriptor === undefined || this.#syncedBytes === this.#bytes) return;
    fsyncSync(this.#descriptor);
    if (this.#syncedBytes === 0) syncDirectoryOf(this.path);
    this.#syncedBytes = this.#bytes;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function openAt(path: string, bytes: number): number {
  const descriptor = openSync(path, "r+");
  const { size } = fstatSync(descriptor);
  if (size >= bytes) {
    ftruncateSync(descriptor, bytes);
    return descriptor;
  }
  closeSync(descriptor);
  throw new CommandError(
    `${path}: expected the first ${bytes} bytes that the interrupted import has written, got a file of ${size} bytes; restore it, or ` +
      "delete the state of the import to start from the first line",
    exitCodes.usage,
  );
}

/** With the time before the extension: such a file can be imported too. */
function earlierName(path: string): string {
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.until-${new Date().toISOString().replaceAll(/[-:]/g, "")}${ext}`);
}
