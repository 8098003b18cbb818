import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { contentOf, fingerprintOf, type Domain, type Event } from "@tally/pipeline";
import { LineFile } from "./line-file.ts";

/** The file with the content of each acknowledged event of a domain: "<event id> <fingerprint>" a line. */
function contentFileOf(directory: string, domain: string): string {
  return join(directory, `content-${domain}`);
}

/** The fingerprint of what an event holds, as a client or a row knows it. */
export function fingerprintOfEvent({ arrivalFields }: Pick<Domain, "arrivalFields">, event: Event): string {
  return fingerprintOf(contentOf(event, arrivalFields));
}

/** Writes down with which content each event was acknowledged. */
export class ContentFiles {
  readonly #files: ReadonlyMap<string, { readonly domain: Domain; readonly file: LineFile }>;

  constructor(directory: string, domains: readonly Domain[]) {
    this.#files = new Map(
      domains.map((domain) => [domain.name, { domain, file: new LineFile(contentFileOf(directory, domain.name)) }]),
    );
  }

  add(domain: string, id: string, content: Readonly<Record<string, unknown>>): void {
    const own = this.#files.get(domain);
    own?.file.add(`${id} ${fingerprintOfEvent(own.domain, { id, ...content })}`);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#files.values(), ({ file }) => file.close()));
  }
}

/** What ContentFiles wrote of a domain: event id → the fingerprints that it was acknowledged with. */
export async function readContents(
  directory: string,
  domain: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const contents = new Map<string, Set<string>>();
  for await (const line of createInterface({ input: createReadStream(contentFileOf(directory, domain)) })) {
    const [id = "", fingerprint = ""] = line.split(" ");
    const own = contents.get(id);
    if (own === undefined) contents.set(id, new Set([fingerprint]));
    else own.add(fingerprint);
  }
  return contents;
}
