import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, contentOf, fingerprintOf, firstProblem, IdempotencyKey, InvalidInput } from "@tally/contract";
import type { Domain, Event, EventId, SqlReader } from "@tally/contract";
import { openRedis, type RedisOptions } from "@tally/redis";
import { Outage } from "@tally/runtime";
import { Compile } from "typebox/compile";
import { rejection } from "../errors/catalogue.ts";
import { ClientError, isUnavailable } from "../errors/reject.ts";

export type DomainKeys = ReturnType<typeof domainKeys>;

/** Checks the Idempotency-Keys of one domain's events. `rows`: the write endpoint, because a replica may be behind. */
export function domainKeys(
  { arrivalFields = [], store }: Domain,
  memory: KeyMemory,
  rows: SqlReader,
  onCheck: (state: KeyState["state"]) => void,
) {
  const contentIn = (event: Event): string => contentOf(event, arrivalFields);

  /** "unknown": database unavailable. The event is accepted: a wrong 422 would make its client send it twice. */
  async function storedContent(eventId: EventId): Promise<{ readonly content: string } | "unknown" | undefined> {
    try {
      const [event] = await store.read(rows, [eventId]);
      return event && { content: contentIn(event) };
    } catch (error) {
      if (isUnavailable(error)) return "unknown";
      throw error;
    }
  }

  return {
    contentOf: contentIn,

    /** The event with this time of arrival. */
    arrivedAt<E extends Event>(event: E, atMs: number): E {
      if (arrivalFields.length === 0) return event;
      return { ...event, ...Object.fromEntries(arrivalFields.map((name) => [name, atMs])) };
    },

    /** Binds the key with this id to a content, which is `contentOf` an event. Returns when this content first arrived,
     * in ms since 1970. Throws IDEMPOTENCY_KEY_REUSED, naming `field`, when the key is bound to other content.
     * `eventId`: the event's, absent for a key of several events.
     *
     * If Redis lost the key, a later content may have bound it and become a dead letter. So before an event is
     * rejected, its row is compared, once for each key: a retry of the stored event is accepted at any later time. An
     * event whose id is made of its content has no such row: it may be stored under another key. */
    async bind(id: EventId, content: string, field: string, eventId?: EventId): Promise<number> {
      const known = await memory.check(id, fingerprintOf(content));
      onCheck(known.state);
      if (known.state !== "other") return known.firstAtMs;
      const stored = eventId !== id || known.isOfRow ? undefined : await storedContent(id);
      if (stored === "unknown") return known.firstAtMs;
      if (stored !== undefined) await memory.bindToRow(id, fingerprintOf(stored.content), known.firstAtMs);
      if (stored?.content !== content) throw new ClientError(rejection("IDEMPOTENCY_KEY_REUSED", { field }));
      return known.firstAtMs;
    },
  };
}

/** The header's name, as errors give it. */
export const keyHeader = "Idempotency-Key";

const check = Compile(IdempotencyKey);

/** The request's Idempotency-Key, checked; undefined when it has none. Throws InvalidInput. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined || (typeof header === "string" && check.Check(header))) return header;
  throw new InvalidInput(keyHeader, firstProblem(check, header).expected, header);
}

/*
 * Remembers in Redis, for all gateways together, which content each Idempotency-Key was first sent with:
 *
 *   <namespace>:idem:<16 bytes of the key's id>  →  <fingerprint of the content><ms since 1970, base 36>["."]
 *
 * "." says that the content is that of the row. One SET … NX GET binds the key or returns what it is bound to; all
 * commands of one event loop turn leave as one write. A bound key only rejects other content. It never replaces a
 * stored event, so no event is lost when Redis is down or forgets: the writer compares with the row.
 */

// A keyed request waits at most this long for a Redis that hangs.
const commandTimeoutMs = 1000;
const readyWithinMs = 1000;
// After a failure, no command is sent for this long: requests do not each wait, and none queue for a frozen Redis.
const restMs = 1000;
const fingerprintLength = 16;
const ofRow = ".";

/** What the memory knows of a key. `firstAtMs`: when its content first arrived, in ms since 1970. */
interface KeyState {
  /** new: bound now. same, other: sent before, with this or with other content. unchecked: no reply from Redis. */
  readonly state: "new" | "same" | "other" | "unchecked";
  readonly firstAtMs: number;
  /** The content that the key is bound to is that of the stored row. */
  readonly isOfRow: boolean;
}

type KeyMemoryOptions = Pick<RedisOptions, "url" | "log"> & Readonly<{ namespace: string; rememberedSeconds: number }>;

export type KeyMemory = ReturnType<typeof keyMemory>;

export function keyMemory({ url, namespace, rememberedSeconds, log }: KeyMemoryOptions) {
  const redis = openRedis({ url, label: "idempotency keys", commandTimeoutMs, queuesWhileDown: false, log });
  const prefix = Buffer.from(`${namespace}:idem:`);
  const outage = new Outage(log, "check idempotency keys");
  let restsUntilMs = 0;
  return {
    /** Resolves when Redis is connected, or after a second. */
    async ready(): Promise<void> {
      if (redis.status === "ready") return;
      // Not events.once: it rejects when the connection fails first.
      const connected = new Promise<void>((resolve) => redis.once("ready", () => resolve()));
      await Promise.race([connected, delay(readyWithinMs, undefined, { ref: false })]);
    },

    /** Binds the key to a fingerprint of 16 characters, unless it is bound already. Never rejects. One round trip: 10
     * µs of the gateway's CPU time, 2 µs of Redis' and 165 bytes of its memory for each key (docs/decisions/0017). */
    async check(id: EventId, fingerprint: string): Promise<KeyState> {
      const nowMs = Date.now();
      const unchecked = { state: "unchecked", firstAtMs: nowMs, isOfRow: false } as const;
      if (performance.now() < restsUntilMs) return unchecked;
      try {
        const key = Buffer.concat([prefix, bytesOfEventId(id)]);
        const value = fingerprint + nowMs.toString(36);
        const bound = await redis.set(key, value, "PX", rememberedSeconds * 1000, "NX", "GET");
        outage.worked();
        if (bound === null) return { ...unchecked, state: "new" };
        const firstAtMs = Number.parseInt(bound.slice(fingerprintLength), 36);
        return { state: bound.startsWith(fingerprint) ? "same" : "other", firstAtMs, isOfRow: bound.endsWith(ofRow) };
      } catch (error) {
        // The event is accepted, and the writer compares it with the row.
        outage.failed(error);
        restsUntilMs = performance.now() + restMs;
        return unchecked;
      }
    },

    /** Binds a key that is remembered to the content of its event's row, for the rest of its time. Never rejects. */
    async bindToRow(id: EventId, fingerprint: string, firstAtMs: number): Promise<void> {
      try {
        const key = Buffer.concat([prefix, bytesOfEventId(id)]);
        await redis.set(key, fingerprint + firstAtMs.toString(36) + ofRow, "KEEPTTL", "XX");
      } catch (error) {
        outage.failed(error);
      }
    },

    close: () => redis.disconnect(),
  };
}
