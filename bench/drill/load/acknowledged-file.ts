import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { contentOf, fingerprintOf, type Domain, type Event } from "@tally/contract";

/** "<domain> <event id> <fingerprint of its content>" a line; "-" where the content is unknown. */
const fileIn = (directory: string): string => join(directory, "acknowledged");

/** The fingerprint of an event's content: the same for a client's request and for the row. */
export function fingerprintOfEvent({ arrivalFields }: Pick<Domain, "arrivalFields">, event: Event): string {
  return fingerprintOf(contentOf(event, arrivalFields));
}

/** Records which events were acknowledged, and with which content. */
export class AcknowledgedFile {
  readonly #file: WriteStream;
  readonly #domains: readonly Domain[];

  constructor(directory: string, domains: readonly Domain[]) {
    this.#file = createWriteStream(fileIn(directory));
    this.#domains = domains;
  }

  add(name: string, id: string, content: Readonly<Record<string, unknown>> | undefined): void {
    const domain = this.#domains.find((one) => one.name === name);
    const fingerprint = domain && content && fingerprintOfEvent(domain, { id, ...content });
    this.#file.write(`${name} ${id} ${fingerprint ?? "-"}\n`);
  }

  /** Resolves when everything is in the file. */
  async close(): Promise<void> {
    await finished(this.#file.end());
  }
}

/** Reads what AcknowledgedFile wrote, in the order of the responses. */
export async function* readAcknowledged(directory: string) {
  for await (const line of createInterface({ input: createReadStream(fileIn(directory)) })) {
    const [domain, id = "", fingerprint = "-"] = line.split(" ");
    yield { domain, id, fingerprint };
  }
}

/** Of a domain: event id → the fingerprints that were acknowledged with it. */
export async function readContents(directory: string, domain: string) {
  const contents = new Map<string, Set<string>>();
  for await (const { id, fingerprint, domain: name } of readAcknowledged(directory)) {
    if (name !== domain) continue;
    const own = contents.getOrInsertComputed(id, () => new Set());
    if (fingerprint !== "-") own.add(fingerprint);
  }
  return contents;
}
