import { findLetters, keyReusedReason, letterOfConflict, letterOfEvent, type NewLetter } from "@tally/database";
import { contentOf, decodeEvent, type Domain, type Event, type SqlReader } from "@tally/contract";

/**
 * Returns the letters of events that the database rejects, each with its reason. A letter has the id of its event. When a letter with that
 * id holds other content, because a client used an Idempotency-Key for two events, the id is made of the content too: no letter replaces
 * another. One lookup, none without such events.
 */
export async function lettersOfRefused(
  reader: SqlReader,
  domain: Domain,
  queue: string,
  refused: readonly (readonly [event: Event, reason: string])[],
): Promise<readonly NewLetter[]> {
  if (refused.length === 0) return [];
  const content = (event: Event): string => contentOf(event, domain.arrivalFields);
  const ids = new Set(refused.map(([{ id }]) => id));
  const kept = new Map<string, string>();
  for (const { id, stage, body } of await findLetters(reader, [...ids])) {
    // A letter of this stage holds an event.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (stage === "event") kept.set(id, content(decodeEvent(body) as Event));
  }
  return refused.map(([event, reason]) => {
    const own = content(event);
    const first = kept.get(event.id) ?? own;
    kept.set(event.id, first);
    if (first === own) return letterOfEvent(domain.name, queue, event, reason);
    return { ...letterOfConflict(domain.name, queue, event, own), reason: `${keyReusedReason}; ${reason}` };
  });
}
