import { randomUUID } from "node:crypto";
import type { BulkEntry, ClientRequest, Responded, Workload } from "../../kit/index.ts";
import type { Sender } from "./sender.ts";

/*
 * One bulk request as a careful client sends it: several entries, one of them invalid, until every valid entry is
 * acknowledged. Then a part of it is sent again: the corrected entry, and one that was acknowledged before.
 *
 *   keys of entries     the part is accepted, and the old entry keeps its id
 *   key of the request  422 while the gateway remembers the key: the corrected entry is sent alone with its own key;
 *                       later the part is accepted
 */

const validEntries = 4;
/** The most events that one such request may store without an acknowledgement. */
export const eventsOfBulk = validEntries + 2;
// Fields are missing.
const invalidEntry = {};

/** A valid entry, its key if it has one, and its id once it is acknowledged. */
interface OwnEntry extends BulkEntry {
  readonly key: string | undefined;
  id?: string;
}

export async function sendInParts(sender: Sender, { domain, bulk }: Workload): Promise<"done" | "unknown"> {
  if (bulk === undefined) throw new TypeError(`${domain} has no bulk route`);
  const isKeyed = sender.random.once(2);
  const entryOf = (key = isKeyed ? randomUUID() : undefined): OwnEntry => ({
    ...bulk.entry(sender.random.fraction, "narrow"),
    key,
  });
  const requestOf = (entries: readonly object[]): ClientRequest => {
    return { method: "POST", path: bulk.path, body: JSON.stringify(entries) };
  };
  const recordResults = (entries: readonly OwnEntry[], text: string): void => {
    const results = resultsIn(text);
    for (const [index, entry] of entries.entries()) {
      const { status, id } = results[index] ?? { status: 0 };
      if (status !== 201 || id === undefined) continue;
      if (entry.id === undefined) {
        sender.acknowledge(domain, id, entry);
        entry.id = id;
      } else sender.compareIds(entry.id, id);
    }
  };

  const key = isKeyed ? undefined : randomUUID();
  const gateway = sender.anyGateway();
  const valid = Array.from({ length: validEntries }, () => entryOf());
  const whole = requestOf([...valid.map(bodyOf), invalidEntry]);
  const first = await sender.until(gateway, whole, key, ({ status, text }) => {
    if (status !== 207) return false;
    recordResults(valid, text);
    return valid.every(({ id }) => id !== undefined);
  });
  if (first === undefined) return "unknown";

  sender.totals.partialRetries++;
  const corrected = entryOf();
  const part = [corrected, ...valid.slice(0, 1)];
  const expected = isKeyed ? [] : [422];
  const isPartOver = ({ status, text }: Responded): boolean => {
    if (status < 300) recordResults(part, text);
    return status === 422 || corrected.id !== undefined;
  };
  const partial = await sender.until(gateway + 1, requestOf(part.map(bodyOf)), key, isPartOver, expected);
  if (partial === undefined) return "unknown";
  if (partial.status !== 422) return "done";
  // An earlier attempt with an unknown outcome may have stored the corrected entry.
  if (partial.attempts > 1) sender.totals.unknown++;
  const alone: OwnEntry = { ...corrected, key: randomUUID() };
  const last = await sender.until(gateway, requestOf([bodyOf(alone)]), undefined, ({ status, text }) => {
    recordResults([alone], text);
    return status === 201;
  });
  return last === undefined ? "unknown" : "done";
}

function bodyOf({ entry, key }: OwnEntry): object {
  return key === undefined ? entry : { ...entry, idempotencyKey: key };
}

/** The shape of the gateway's bulk response; tests of the gateway check it. */
function resultsIn(text: string): readonly { readonly status: number; readonly id?: string }[] {
  return JSON.parse(text).results ?? [];
}
