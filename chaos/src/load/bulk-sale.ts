import { randomUUID } from "node:crypto";
import type { BulkEntry, ClientRequest, Spread, Workload } from "@tally/domains/workloads";
import type { Sender } from "./sender.ts";

/*
 * One bulk request as a careful client sends it: several entries, of which one is wrong. It is sent with its key until every good entry is
 * acknowledged. Then a part of it is sent again: the corrected entry, and one that was acknowledged before.
 *
 *   keys of entries    the part is accepted, and the old entry keeps its id
 *   key of the request 422 while the key is remembered; the corrected entry goes with a key. Else the part is accepted as above
 */

const goodEntries = 4;
/** The most events that one such request may store without an acknowledgement. */
export const eventsOfBulkSale = goodEntries + 2;
// Fields are missing.
const wrongEntry = {};

interface Result {
  readonly status: number;
  readonly id?: string;
}

/** A good entry, its key if it has one, and its id once it is acknowledged. */
interface Own extends BulkEntry {
  readonly key: string | undefined;
  id?: string;
}

export async function sellInBulk(
  sender: Sender,
  { domain, bulk }: Workload,
  spread: Spread,
): Promise<"sold" | "unknown"> {
  if (bulk === undefined) throw new TypeError(`${domain} has no bulk route`);
  const isKeyed = sender.random.integer(0, 1) === 1;
  const entryOf = (key = isKeyed ? randomUUID() : undefined): Own => ({
    ...bulk.entry(sender.random.fraction, spread),
    key,
  });
  const requestOf = (entries: readonly object[]): ClientRequest => ({
    method: "POST",
    path: bulk.path,
    body: JSON.stringify(entries),
  });
  const key = isKeyed ? undefined : randomUUID();
  const good = Array.from({ length: goodEntries }, () => entryOf());
  const whole = requestOf([...good.map(sent), wrongEntry]);
  const noteResults = (own: readonly Own[], results: readonly Result[]): void => {
    for (const [index, entry] of own.entries()) {
      const { status, id } = results[index] ?? { status: 0 };
      if (status !== 201 || id === undefined) continue;
      if (entry.id === undefined) {
        sender.acknowledge({ domain, id, units: entry.units, content: entry.content });
        entry.id = id;
      } else sender.compareIds(entry.id, id);
    }
  };
  const gateway = sender.anyGateway();
  const isWhole = (text: string): boolean => {
    noteResults(good, resultsIn(text));
    return good.every(({ id }) => id !== undefined);
  };
  const first = await sender.until(gateway, whole, key, ({ status, text }) => status === 207 && isWhole(text));
  if (first === undefined) return "unknown";

  sender.totals.partialRetries++;
  const corrected = entryOf();
  const part = [corrected, ...good.slice(0, 1)];
  const isPart = (own: readonly Own[], text: string): boolean => {
    noteResults(own, resultsIn(text));
    return corrected.id !== undefined;
  };
  const partial = await sender.until(
    gateway + 1,
    requestOf(part.map(sent)),
    key,
    ({ status, text }) => status === 422 || (status < 300 && isPart(part, text)),
    isKeyed ? [] : [422],
  );
  if (partial === undefined) return "unknown";
  if (partial.status !== 422) return "sold";
  // An earlier attempt, of which nothing is known, may have stored the corrected entry.
  if (partial.attempts > 1) sender.totals.unknown++;
  const alone: Own = { ...corrected, key: randomUUID() };
  const last = await sender.until(gateway, requestOf([sent(alone)]), undefined, ({ status, text }) => {
    noteResults([alone], resultsIn(text));
    return status === 201;
  });
  return last === undefined ? "unknown" : "sold";
}

function sent({ entry, key }: Own): object {
  return key === undefined ? entry : { ...entry, idempotencyKey: key };
}

function resultsIn(text: string): readonly Result[] {
  const body: unknown = JSON.parse(text);
  // The gateway's own shape; a test of the gateway holds it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (body as { readonly results?: readonly Result[] }).results ?? [];
}
