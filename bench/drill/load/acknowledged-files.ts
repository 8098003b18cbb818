import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { contentOf, fingerprintOf, type Domain, type Event } from "@tally/contract";

/** The ids in the order of their responses: one a line, the format of `tally audit`. */
export const idsFile = (directory: string): string => join(directory, "acknowledged");
/** "<domain> <event id> <fingerprint of its content>" a line; "-" where the content is unknown. */
const contentsFile = (directory: string): string => join(directory, "acknowledged-contents");

/** The fingerprint of an event's content: the same for a client's request and for the row. */
export function fingerprintOfEvent({ arrivalFields }: Pick<Domain, "arrivalFields">, event: Event): string {
  return fingerprintOf(contentOf(event, arrivalFields));
}

/** Records which events were acknowledged, and with which content. */
export class AcknowledgedFiles {
  readonly #ids: WriteStream;
  readonly #contents: WriteStream;
  readonly #domains: readonly Domain[];

  constructor(directory: string, domains: readonly Domain[]) {
    this.#ids = createWriteStream(idsFile(directory));
    this.#contents = createWriteStream(contentsFile(directory));
    this.#domains = domains;
  }

  addId(id: string): void {
    this.#ids.write(`${id}\n`);
  }

  addContent(name: string, id: string, content: Readonly<Record<string, unknown>> | undefined): void {
    const domain = this.#domains.find((one) => one.name === name);
    const fingerprint = domain && content && fingerprintOfEvent(domain, { id, ...content });
    this.#contents.write(`${name} ${id} ${fingerprint ?? "-"}\n`);
  }

  /** Resolves when everything is in the files. */
  async close(): Promise<void> {
    for (const file of [this.#ids, this.#contents]) await finished(file.end());
  }
}

/** Reads what AcknowledgedFiles wrote for a domain: event id → the fingerprints that were acknowledged with it. */
export async function readContents(directory: string, domain: string) {
  const contents = new Map<string, Set<string>>();
  for await (const line of createInterface({ input: createReadStream(contentsFile(directory)) })) {
    const [name, id = "", fingerprint = "-"] = line.split(" ");
    if (name !== domain) continue;
    const own = contents.getOrInsertComputed(id, () => new Set());
    if (fingerprint !== "-") own.add(fingerprint);
  }
  return contents;
}
