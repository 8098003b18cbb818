import type { Database } from "@tally/database";
import { listLetters } from "@tally/dead-letters";
import { decodeEvent, type Domain, type Event } from "@tally/pipeline";
import { fingerprintOfEvent, readContents } from "./load/content-files.ts";

/** Acknowledged contents that are neither in their event's row nor in a dead letter. Events without a row are not counted: the audit does. */
export interface ContentCheck {
  readonly checked: number;
  readonly wrong: number;
  /** "<domain> <event id>" of the first. */
  readonly firstWrong: string | undefined;
}

// The images of the drill are small.
const idsPerRead = 500;
const lettersMax = 1_000_000;

/** Compares the content of every acknowledged event with what the database holds. A second for 50,000 events. */
export async function checkContents(
  { writer }: Pick<Database, "writer">,
  directory: string,
  domains: readonly Domain[],
): Promise<ContentCheck> {
  let checked = 0;
  const wrong: string[] = [];
  for (const domain of domains) {
    const contents = await readContents(directory, domain.name);
    const kept = new Set<string>();
    for (const { messageId, body } of await listLetters(
      writer,
      { domain: domain.name, stage: "conflict" },
      lettersMax,
    )) {
      // Letters of this stage hold an event.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      kept.add(`${messageId} ${fingerprintOfEvent(domain, decodeEvent(body) as Event)}`);
    }
    const ids = [...contents.keys()];
    for (let at = 0; at < ids.length; at += idsPerRead) {
      for (const event of await domain.store.read(writer, ids.slice(at, at + idsPerRead))) {
        const stored = fingerprintOfEvent(domain, event);
        for (const acknowledged of contents.get(event.id) ?? []) {
          checked++;
          if (acknowledged !== stored && !kept.has(`${event.id} ${acknowledged}`))
            wrong.push(`${domain.name} ${event.id}`);
        }
      }
    }
  }
  return { checked, wrong: wrong.length, firstWrong: wrong[0] };
}
