import { setTimeout as delay } from "node:timers/promises";
import { Outage, type Logger } from "@tally/runtime";
import { bytesOfEventId, type EventId } from "@tally/contract";
import { openRedis, type Redis } from "@tally/redis";

/*
 * Remembers in Redis, for all gateways together, which content each Idempotency-Key was first sent with:
 *
 *   <namespace>:idem:<16 bytes of the key's id>  →  <fingerprint of the content><ms since 1970, base 36>["." when it is that of the row]
 *
 * One SET … NX GET binds the key or returns what it is bound to; all commands of one event loop turn leave as one write. A bound key only
 * rejects other content. It never replaces a stored event, so no event is lost when Redis is down or forgets: the writer compares with
 * the row.
 */

// A keyed request waits at most this long for a Redis that hangs.
const commandTimeoutMs = 1000;
const readyWithinMs = 1000;
// After a failure, no command is sent for this long: requests do not each wait, and no commands queue for a frozen Redis.
const restMs = 1000;
const fingerprintLength = 16;
const ofRow = ".";

/** What the memory knows of a key. `firstAtMs`: when its content first arrived, in ms since 1970. */
export interface KeyState {
  /** new: bound now. same: sent before with equal content. other: sent before with other content. unchecked: no reply from Redis. */
  readonly state: "new" | "same" | "other" | "unchecked";
  readonly firstAtMs: number;
  /** The content that the key is bound to is that of the stored row. */
  readonly isOfRow: boolean;
}

export interface KeyMemoryOptions {
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

  /**
   * Binds the key with this id to a fingerprint of 16 characters, unless it is bound already. Never rejects. One round trip: 10 µs of the
   * gateway's CPU time, 2 µs of Redis' and 165 bytes of its memory for each key (docs/decisions/0017).
   */
  async check(id: EventId, fingerprint: string): Promise<KeyState> {
    const nowMs = Date.now();
    if (performance.now() < this.#restsUntilMs) return { state: "unchecked", firstAtMs: nowMs, isOfRow: false };
    try {
      const key = Buffer.concat([this.#prefix, bytesOfEventId(id)]);
      const value = fingerprint + nowMs.toString(36);
      const bound = await this.#redis.set(key, value, "PX", this.#rememberedMs, "NX", "GET");
      this.#outage.worked();
      if (bound === null) return { state: "new", firstAtMs: nowMs, isOfRow: false };
      const firstAtMs = Number.parseInt(bound.slice(fingerprintLength), 36);
      return { state: bound.startsWith(fingerprint) ? "same" : "other", firstAtMs, isOfRow: bound.endsWith(ofRow) };
    } catch (error) {
      // The event is accepted, and the writer compares it with the row.
      this.#outage.failed(error);
      this.#restsUntilMs = performance.now() + restMs;
      return { state: "unchecked", firstAtMs: nowMs, isOfRow: false };
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
