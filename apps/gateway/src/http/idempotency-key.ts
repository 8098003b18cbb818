import { eventIdOfKey, InvalidInput, newEventId } from "@tally/pipeline";

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The request's Idempotency-Key, checked; undefined when it has none. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== "string" || !keyPattern.test(header)) {
    throw new InvalidInput("Idempotency-Key", "1 to 255 visible ASCII characters", header);
  }
  return header;
}

/** The id of an event: always the same for a key within its scope (and its place in a request of many), new without a key. */
export function eventIdFor(scope: () => string, key: string | undefined, entry?: number): string {
  return key === undefined ? newEventId() : eventIdOfKey(scope(), key, entry);
}
