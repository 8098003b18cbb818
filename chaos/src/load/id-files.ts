import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";

const writeEveryMs = 100;

/** The file with the ids of all domains, in the order of their answers; one a line, as `tally audit` reads it. */
export function allIdsFile(directory: string): string {
  return join(directory, "acknowledged");
}

/** The file with one domain's ids among them. */
export function idsFileOf(directory: string, domain: string): string {
  return join(directory, `acknowledged-${domain}`);
}

/** Writes down which events were acknowledged. */
export class IdFiles {
  readonly #all: IdFile;
  readonly #own: ReadonlyMap<string, IdFile>;
  readonly #timer: NodeJS.Timeout;

  constructor(directory: string, domains: readonly string[]) {
    this.#all = new IdFile(allIdsFile(directory));
    this.#own = new Map(domains.map((domain) => [domain, new IdFile(idsFileOf(directory, domain))]));
    this.#timer = setInterval(() => this.#files.forEach((file) => file.write()), writeEveryMs);
  }

  add(domain: string, id: string): void {
    this.#all.add(id);
    this.#own.get(domain)?.add(id);
  }

  /** Resolves when all is in the files. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#files.map((file) => file.close()));
  }

  get #files(): readonly IdFile[] {
    return [this.#all, ...this.#own.values()];
  }
}

class IdFile {
  readonly #stream: WriteStream;
  #lines = "";

  constructor(path: string) {
    this.#stream = createWriteStream(path);
  }

  add(id: string): void {
    this.#lines += `${id}\n`;
  }

  write(): void {
    if (this.#lines !== "") this.#stream.write(this.#lines);
    this.#lines = "";
  }

  async close(): Promise<void> {
    this.write();
    this.#stream.end();
    await finished(this.#stream);
  }
}
