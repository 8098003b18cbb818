import { timingSafeEqual } from "node:crypto";
import type { KeyLimit, StoredKey } from "./api-key.ts";
import { hashOfKeyText, isKeyText, keyTextLength } from "./key-text.ts";

/** What the holder of a valid key may do. The same object for each request with the same key. */
export interface Grant {
  readonly keyId: string;
  /** The key's own rate limit. */
  readonly limit: KeyLimit | undefined;
  /** The only stores that it may read and write; undefined: all. */
  readonly stores: ReadonlySet<string> | undefined;
  /** Whether it may read or write in a domain, or decide about its dead letters (operate). The domain "*": in all domains. */
  may(domain: string, action: Action): boolean;
}

export const actions = ["read", "write", "operate"] as const;
export type Action = (typeof actions)[number];

// The text of the current request. check() is synchronous, so one buffer is enough.
const presented = Buffer.alloc(keyTextLength);

/** A valid key. Compares texts with the last accepted one in constant time: 0.2 µs instead of 1 µs for a hash. Keeps no wrong text. */
export class HeldKey {
  readonly #key: StoredKey;
  readonly #grant: Grant;
  #accepted: Buffer | undefined;
  #acceptedUntil = Infinity;

  constructor(key: StoredKey) {
    const domainsOf = (action: Action): ReadonlySet<string> => {
      const scopes = key.scopes.filter((scope) => scope.endsWith(`:${action}`));
      return new Set(scopes.map((scope) => scope.slice(0, -1 - action.length)));
    };
    const domains = { read: domainsOf("read"), write: domainsOf("write"), operate: domainsOf("operate") };
    const all = { read: domains.read.has("*"), write: domains.write.has("*"), operate: domains.operate.has("*") };
    this.#key = key;
    this.#grant = {
      keyId: key.id,
      limit: key.limit,
      stores: key.stores === undefined ? undefined : new Set(key.stores),
      may: (domain, action) => all[action] || domains[action].has(domain),
    };
  }

  /** Returns the key's grant if the text is this key, else undefined. */
  check(text: string): Grant | undefined {
    // The length of a key is not secret, so this check need not take constant time.
    if (text.length !== keyTextLength) return undefined;
    if (this.#accepted !== undefined) {
      presented.write(text, "latin1");
      if (timingSafeEqual(presented, this.#accepted)) return Date.now() < this.#acceptedUntil ? this.#grant : undefined;
    }
    const until = isKeyText(text) ? this.#validUntil(hashOfKeyText(text)) : 0;
    if (Date.now() >= until) return undefined;
    this.#accepted = Buffer.from(text, "latin1");
    this.#acceptedUntil = until;
    return this.#grant;
  }

  /** The end of a secret's validity, in ms since 1970; 0 for a wrong secret. */
  #validUntil(hash: Buffer): number {
    const { secretHash, previousHash, previousUntil = 0 } = this.#key;
    if (timingSafeEqual(hash, secretHash)) return Infinity;
    return previousHash !== undefined && timingSafeEqual(hash, previousHash) ? previousUntil : 0;
  }
}
