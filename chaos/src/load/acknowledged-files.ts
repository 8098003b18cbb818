import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { contentOf, fingerprintOf, type Domain, type Event } from "@tally/pipeline";

/** The file with the ids of all domains in the order of their responses: one a line, the format of `tally audit`. */
export const idsFile = (directory: string): string => join(directory, "acknowledged");
/** The file with the ids of one domain. */
export const idsFileOf = (directory: string, domain: string): string => join(directory, `acknowledged-${domain}`);
/** The file with the content of each acknowledged event of a domain: "<event id> <fingerprint>" a line. */
const contentsFileOf = (directory: string, domain: string): string => join(directory, `content-${domain}`);

/** The fingerprint of an event's content: the same for a client's request and for the row. */
export function fingerprintOfEvent({ arrivalFields }: Pick<Domain, "arrivalFields">, event: Event): string {
  return fingerprintOf(contentOf(event, arrivalFields));
}

/** Records which events were acknowledged, and with which content. */
export class AcknowledgedFiles {
  readonly #all: LineFile;
  readonly #ofDomains: ReadonlyMap<
    string,
    { readonly domain: Domain; readonly ids: LineFile; readonly contents: LineFile }
  >;

  constructor(directory: string, domains: readonly Domain[]) {
    this.#all = new LineFile(idsFile(directory));
    this.#ofDomains = new Map(
      domains.map((domain) => {
        const ids = new LineFile(idsFileOf(directory, domain.name));
        return [domain.name, { domain, ids, contents: new LineFile(contentsFileOf(directory, domain.name)) }];
      }),
    );
  }

  addId(domain: string, id: string): void {
    this.#all.add(id);
    this.#ofDomains.get(domain)?.ids.add(id);
  }

  addContent(domain: string, id: string, content: Readonly<Record<string, unknown>>): void {
    const own = this.#ofDomains.get(domain);
    own?.contents.add(`${id} ${fingerprintOfEvent(own.domain, { id, ...content })}`);
  }

  /** Resolves when everything is in the files. */
  async close(): Promise<void> {
    const ofDomains = [...this.#ofDomains.values()].flatMap(({ ids, contents }) => [ids, contents]);
    await Promise.all([this.#all, ...ofDomains].map((file) => file.close()));
  }
}

/** Reads the contents that AcknowledgedFiles wrote for a domain: event id → the fingerprints that were acknowledged with it. */
export async function readContents(
  directory: string,
  domain: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const contents = new Map<string, Set<string>>();
  for await (const line of createInterface({ input: createReadStream(contentsFileOf(directory, domain)) })) {
    const [id = "", fingerprint = ""] = line.split(" ");
    const own = contents.get(id);
    if (own === undefined) contents.set(id, new Set([fingerprint]));
    else own.add(fingerprint);
  }
  return contents;
}

const writeEveryMs = 100;

/** Collects lines and appends them to a file ten times a second. */
class LineFile {
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
