import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";

/** A file that grows with an import and can be cut back to what an earlier state of it had. */
export class ResumedFile {
  readonly path: string;
  readonly #head: string;
  #descriptor: number | undefined;
  #bytes: number;

  /** Keeps the first `bytes` of an existing file, or removes it. `head` begins a new one. */
  constructor(path: string, bytes: number, head: string) {
    this.path = path;
    this.#head = head;
    this.#bytes = bytes;
    if (bytes === 0) rmSync(path, { force: true });
    else {
      this.#descriptor = openSync(path, "r+");
      ftruncateSync(this.#descriptor, bytes);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Appends; creates the file first. */
  append(text: string): void {
    if (text === "") return;
    this.#descriptor ??= openSync(this.path, "w");
    const piece = Buffer.from(this.#bytes === 0 ? this.#head + text : text);
    for (let written = 0; written < piece.length;) {
      written += writeSync(this.#descriptor, piece, written, piece.length - written, this.#bytes + written);
    }
    this.#bytes += piece.length;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
