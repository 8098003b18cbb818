import { setTimeout as delay } from "node:timers/promises";
import type { SqlReader } from "@tally/contract";
import { readChanged, readVersion } from "./keys.ts";
import { idOfKeyText, isKeyText } from "./key-text.ts";
import { HeldKey, type Grant } from "./held-key.ts";

/*
 * All valid keys of a gateway, in memory. No request reads the database: a request with a key that is not here is rejected without I/O.
 *
 *   every second        reads the version of the last change, and the keys that were changed since
 *   a read fails        known keys continue to work. After 5 s without a read, any other key is "unsure"
 *   the next read       reads all keys again: a failover may have lost changes
 */

/** How often changes are read. With the time of a read it stays below the 5 s within which a change is effective. */
const readEveryMs = 1000;
const unsureAfterMs = 5000;
const pageMax = 1000;

/** invalid: no valid key. unsure: not known here, and the last successful read is more than 5 s ago. */
export type KeyCheck = Grant | "invalid" | "unsure";

export interface KeyRingOptions {
  /** The write endpoint, because a replica may lag behind. */
  readonly reader: SqlReader;
  /** Receives each failed read. */
  readonly onFailed: (error: unknown) => void;
  /** Receives each successful read. */
  readonly onRead: () => void;
}

/** Checks keys against those of the database, at most 5 s old while it responds. */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #stopping = new AbortController();
  #keys = new Map<string, HeldKey>();
  #version = 0;
  #readAt = -Infinity;
  #failed = false;
  #running: Promise<void> | undefined;

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  /** Whether the keys were read at least once. */
  get isKnown(): boolean {
    return this.#readAt !== -Infinity;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Reads changes from now on. Resolves after the first attempt. */
  async start(): Promise<void> {
    await this.refresh();
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** The grant of a key's text. Costs about 0.3 µs for a key that was seen before, about 2 µs for one that was not; never any I/O. */
  check(text: string): KeyCheck {
    const grant = this.#keys.get(idOfKeyText(text))?.check(text);
    if (grant !== undefined) return grant;
    if (!isKeyText(text)) return "invalid";
    return performance.now() - this.#readAt > unsureAfterMs ? "unsure" : "invalid";
  }

  /** Reads changes since the last read. Never throws. */
  async refresh(): Promise<void> {
    const startedAt = performance.now();
    try {
      const { reader } = this.#options;
      const version = await readVersion(reader);
      // An older version: the database was restored, or a failover lost changes.
      const isFull = this.#failed || version < this.#version || !this.isKnown;
      if (isFull || version > this.#version) await this.#read(isFull);
      this.#failed = false;
      this.#readAt = startedAt;
      this.#options.onRead();
    } catch (error) {
      this.#failed = true;
      this.#options.onFailed(error);
    }
  }

  async #read(isFull: boolean): Promise<void> {
    const keys = isFull ? new Map<string, HeldKey>() : this.#keys;
    let version = isFull ? 0 : this.#version;
    for (;;) {
      const page = await readChanged(this.#options.reader, version, pageMax);
      for (const key of page) {
        version = key.version;
        if (key.revokedAt === undefined) keys.set(key.id, new HeldKey(key));
        else keys.delete(key.id);
      }
      if (page.length < pageMax) break;
    }
    this.#keys = keys;
    this.#version = version;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await delay(readEveryMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.refresh();
    }
  }
}
