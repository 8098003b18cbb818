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
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, parse } from "node:path";
import { usageError, type CommandError } from "../command.ts";

/** What a file has of the lines that a state counts; what follows in the file is written again. */
export interface WrittenContent {
  readonly bytes: number;
  readonly sha256: string;
}

export const nothingWritten: WrittenContent = { bytes: 0, sha256: hash("sha256", "") };

const pieceBytes = 1 << 20;

/** A file that grows with an import and can be cut back to what an earlier state of it had. */
export class ResumedFile {
  readonly path: string;
  /** The new name of a file that had this name; undefined: there was none. */
  readonly earlier: string | undefined;
  readonly #head: string;
  readonly #hash = createHash("sha256");
  #descriptor: number | undefined;
  #bytes: number;
  #syncedBytes: number;

  /** Keeps the first `bytes`, which must have `sha256`. With 0 an existing file, perhaps corrected, is renamed. */
  constructor(path: string, content: WrittenContent, head: string) {
    this.path = path;
    this.#head = head;
    this.#bytes = content.bytes;
    this.#syncedBytes = content.bytes;
    if (content.bytes > 0) this.#descriptor = openAt(path, content, this.#hash);
    else if (existsSync(path)) {
      // With the time before the extension: such a file can be imported too.
      const { dir, name, ext } = parse(path);
      this.earlier = join(dir, `${name}.until-${new Date().toISOString().replaceAll(/[-:]/g, "")}${ext}`);
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
    const piece = Buffer.allocUnsafe(Math.min(bytes, pieceBytes));
    for (let at = 0, read = 1; at < bytes && read > 0; at += read) {
      read = readSync(descriptor, piece, 0, Math.min(piece.length, bytes - at), at);
      content.update(piece.subarray(0, read));
    }
    if (content.copy().digest("hex") !== sha256) throw damaged(path, bytes, "others");
    ftruncateSync(descriptor, bytes);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function damaged(path: string, bytes: number, got: string): CommandError {
  return usageError(
    `${path}: expected the first ${bytes} bytes that the interrupted import has written, got ${got}. ` +
      "Restore the file; or delete the state of the import to start from the first line: this file is then kept under " +
      "another name, with all corrections in it, and the keys keep lines from being stored twice",
  );
}

/** Atomic: a kill, or a crash of the machine, leaves this content or the one before. Costs two fsyncs. */
export function replaceFile(path: string, content: string): void {
  const next = `${path}.new`;
  const descriptor = openSync(next, "w");
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(next, path);
  syncDirectoryOf(path);
}

/** Makes a new or changed name in the directory of this file durable. */
export function syncDirectoryOf(file: string): void {
  const directory = openSync(dirname(file), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
