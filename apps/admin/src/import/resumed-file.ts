import { createHash, hash, type Hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { parse, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { WrittenContent } from "./import-state.ts";
import { syncDirectoryOf } from "./sync-directory.ts";

/** Of a file that is not written yet. */
export const nothingWritten: WrittenContent = { bytes: 0, sha256: hash("sha256", "") };

const pieceBytes = 1 << 20;

/** A file that grows with an import and can be cut back to what an earlier state of it had. */
export class ResumedFile {
  readonly path: string;
  /** The new name of a file that had this name; undefined: there was none. */
  readonly earlier: string | undefined;
  readonly #head: string;
  readonly #hash: Hash;
  #descriptor: number | undefined;
  #bytes: number;
  #syncedBytes: number;

  /**
   * Keeps the first `bytes` of an existing file, and throws a CommandError, without a change of the file, when they are not those of `sha256`.
   * With 0 an existing file gets another name, because someone may have corrected lines in it. `head` begins a new file. Reads `bytes` once.
   */
  constructor(path: string, { bytes, sha256 }: WrittenContent, head: string) {
    this.path = path;
    this.#head = head;
    this.#bytes = bytes;
    this.#syncedBytes = bytes;
    this.#hash = createHash("sha256");
    if (bytes > 0) this.#descriptor = openAt(path, { bytes, sha256 }, this.#hash);
    else if (existsSync(path)) {
      this.earlier = earlierName(path);
      renameSync(path, this.earlier);
    }
  }

  /** Costs a few microseconds: the hash grows with each append. */
  get content(): WrittenContent {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest("hex") };
  }

  /** Appends; creates the file first. */
  append(text: string): void {
    if (text === "") return;
    this.#descriptor ??= openSync(this.path, "wx");
    const piece = Buffer.from(this.#bytes === 0 ? this.#head + text : text);
    for (let written = 0; written < piece.length;) {
      written += writeSync(this.#descriptor, piece, written, piece.length - written, this.#bytes + written);
    }
    this.#hash.update(piece);
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

/** Adds the first `bytes` to `content`. */
function openAt(path: string, { bytes, sha256 }: WrittenContent, content: Hash): number {
  if (!existsSync(path)) throw damaged(path, bytes, "no such file");
  const descriptor = openSync(path, "r+");
  try {
    const { size } = fstatSync(descriptor);
    if (size < bytes) throw damaged(path, bytes, `a file of ${size} bytes`);
    addContent(content, descriptor, bytes);
    if (content.copy().digest("hex") !== sha256) throw damaged(path, bytes, "others");
    ftruncateSync(descriptor, bytes);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function addContent(content: Hash, descriptor: number, bytes: number): void {
  const piece = Buffer.allocUnsafe(Math.min(bytes, pieceBytes));
  for (let at = 0; at < bytes;) {
    const read = readSync(descriptor, piece, 0, Math.min(piece.length, bytes - at), at);
    // The file has become shorter since; the hash differs.
    if (read === 0) return;
    content.update(piece.subarray(0, read));
    at += read;
  }
}

function damaged(path: string, bytes: number, got: string): CommandError {
  return new CommandError(
    `${path}: expected the first ${bytes} bytes that the interrupted import has written, got ${got}. Restore the file; or delete the state of ` +
      "the import to start from the first line: this file is then kept under another name, with all corrections in it, and the keys keep lines " +
      "from being stored twice",
    exitCodes.usage,
  );
}

/** With the time before the extension: such a file can be imported too. */
function earlierName(path: string): string {
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.until-${new Date().toISOString().replaceAll(/[-:]/g, "")}${ext}`);
}
