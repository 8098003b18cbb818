import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, contentOf, fingerprintOf, firstProblem, IdempotencyKey, InvalidInput } from "@tally/contract";
import type { Domain, Event, EventId, SqlReader } from "@tally/contract";
import { openRedis, type Redis } from "@tally/redis";
import { type Logger, Outage } from "@tally/runtime";
import { Compile } from "typebox/compile";
import { rejection } from "../errors/catalogue.ts";
import { ClientError, isUnavailable } from "../errors/reject.ts";

/** Checks the Idempotency-Keys of one domain's events. */
export class DomainKeys {
  readonly #memory: KeyMemory;
  readonly #domain: Domain;
  readonly #rows: SqlReader;
  readonly #onCheck: (state: KeyState["state"]) => void;

  /** `rows`: the write endpoint, because a replica may be behind. */
  constructor(domain: Domain, memory: KeyMemory, rows: SqlReader, onCheck: (state: KeyState["state"]) => void) {
    this.#domain = domain;
    this.#memory = memory;
    this.#rows = rows;
    this.#onCheck = onCheck;
  }

  contentOf(event: Event): string {
    return contentOf(event, this.#domain.arrivalFields);
  }

  /** The event with this time of arrival. */
  arrivedAt<E extends Event>(event: E, atMs: number): E {
    const { arrivalFields = [] } = this.#domain;
    if (arrivalFields.length === 0) return event;
    return { ...event, ...Object.fromEntries(arrivalFields.map((name) => [name, atMs])) };
  }

  /** Binds the key with this id to a content, which is `contentOf` an event. Returns when this content first arrived,
   * in ms since 1970. Throws IDEMPOTENCY_KEY_REUSED, naming `field`, when the key is bound to other content. `eventId`:
   * the event's, absent for a key of several events.
   *
   * If Redis lost the key, a later content may have bound it and become a dead letter. So before an event is rejected,
   * its row is compared, once for each key: a retry of the stored event is accepted at any later time. */
  async bind(id: EventId, content: string, field: string, eventId?: EventId): Promise<number> {
    const known = await this.#memory.check(id, fingerprintOf(content));
    this.#onCheck(known.state);
    if (known.state !== "other") return known.firstAtMs;
    const stored = eventId === undefined || known.isOfRow ? undefined : await this.#storedContent(eventId);
    if (stored === "unknown") return known.firstAtMs;
    if (stored !== undefined) await this.#memory.bindToRow(id, fingerprintOf(stored.content), known.firstAtMs);
    if (stored?.content !== content) throw new ClientError(rejection("IDEMPOTENCY_KEY_REUSED", { field }));
    return known.firstAtMs;
  }

  /** "unknown": database unavailable. The event is accepted: a wrong 422 would make its client send it twice. */
  async #storedContent(eventId: EventId): Promise<{ readonly content: string } | "unknown" | undefined> {
    try {
      const [event] = await this.#domain.store.read(this.#rows, [eventId]);
      return event && { content: this.contentOf(event) };
    } catch (error) {
      if (isUnavailable(error)) return "unknown";
      throw error;
    }
  }
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

interface KeyMemoryOptions {
  readonly url: string;
  readonly namespace: string;
  readonly rememberedSeconds: number;
  readonly log: Logger;
}

export class KeyMemory {
  readonly #redis: Redis;
  readonly #prefix: Buffer;
  readonly #rememberedMs: number;
  readonly #outage: Outage;
  #restsUntilMs = 0;

  constructor({ url, namespace, rememberedSeconds, log }: KeyMemoryOptions) {
    this.#redis = openRedis({ url, label: "idempotency keys", commandTimeoutMs, queuesWhileDown: false, log });
    this.#prefix = Buffer.from(`${namespace}:idem:`);
    this.#rememberedMs = rememberedSeconds * 1000;
    this.#outage = new Outage(log, "check idempotency keys");
  }

  /** Resolves when Redis is connected, or after a second. */
  async ready(): Promise<void> {
    if (this.#redis.status === "ready") return;
    // Not events.once: it rejects when the connection fails first.
    const connected = new Promise<void>((resolve) => this.#redis.once("ready", () => resolve()));
    await Promise.race([connected, delay(readyWithinMs, undefined, { ref: false })]);
  }

  /** Binds the key to a fingerprint of 16 characters, unless it is bound already. Never rejects. One round trip: 10 µs
   * of the gateway's CPU time, 2 µs of Redis' and 165 bytes of its memory for each key (docs/decisions/0017). */
  async check(id: EventId, fingerprint: string): Promise<KeyState> {
    const nowMs = Date.now();
    const unchecked = { state: "unchecked", firstAtMs: nowMs, isOfRow: false } as const;
    if (performance.now() < this.#restsUntilMs) return unchecked;
    try {
      const key = Buffer.concat([this.#prefix, bytesOfEventId(id)]);
      const value = fingerprint + nowMs.toString(36);
      const bound = await this.#redis.set(key, value, "PX", this.#rememberedMs, "NX", "GET");
      this.#outage.worked();
      if (bound === null) return { ...unchecked, state: "new" };
      const firstAtMs = Number.parseInt(bound.slice(fingerprintLength), 36);
      return { state: bound.startsWith(fingerprint) ? "same" : "other", firstAtMs, isOfRow: bound.endsWith(ofRow) };
    } catch (error) {
      // The event is accepted, and the writer compares it with the row.
      this.#outage.failed(error);
      this.#restsUntilMs = performance.now() + restMs;
      return unchecked;
    }
  }

  /** Binds a key that is remembered to the content of its event's row, for the rest of its time. Never rejects. */
  async bindToRow(id: EventId, fingerprint: string, firstAtMs: number): Promise<void> {
    try {
      const key = Buffer.concat([this.#prefix, bytesOfEventId(id)]);
      await this.#redis.set(key, fingerprint + firstAtMs.toString(36) + ofRow, "KEEPTTL", "XX");
    } catch (error) {
      this.#outage.failed(error);
    }
  }

  close(): void {
    this.#redis.disconnect();
  }
}
