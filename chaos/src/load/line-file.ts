import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";

const writeEveryMs = 100;

/** A file that grows line by line; written ten times a second. */
export class LineFile {
  readonly #stream: WriteStream;
  readonly #timer: NodeJS.Timeout;
  #lines = "";

  constructor(path: string) {
    this.#stream = createWriteStream(path);
    this.#timer = setInterval(() => this.#write(), writeEveryMs);
  }

  add(line: string): void {
    this.#lines += `${line}\n`;
  }

  /** Resolves when all is in the file. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#write();
    this.#stream.end();
    await finished(this.#stream);
  }

  #write(): void {
    if (this.#lines !== "") this.#stream.write(this.#lines);
    this.#lines = "";
  }
}
