import { join } from "node:path";
import { LineFile } from "./line-file.ts";

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
  readonly #all: LineFile;
  readonly #own: ReadonlyMap<string, LineFile>;

  constructor(directory: string, domains: readonly string[]) {
    this.#all = new LineFile(allIdsFile(directory));
    this.#own = new Map(domains.map((domain) => [domain, new LineFile(idsFileOf(directory, domain))]));
  }

  add(domain: string, id: string): void {
    this.#all.add(id);
    this.#own.get(domain)?.add(id);
  }

  /** Resolves when all is in the files. */
  async close(): Promise<void> {
    await Promise.all([this.#all, ...this.#own.values()].map((file) => file.close()));
  }
}
