/** What a key allows. */
export interface KeyRights {
  /** Such as "purchases:write", "purchases:read" or "purchases:operate"; "*" as the domain means all domains. */
  readonly scopes: readonly string[];
  /** The only stores that it may read and write, as text without leading zeros; undefined: all. */
  readonly stores: readonly string[] | undefined;
  /** Its own rate limit; undefined: the limit of the gateway's settings. */
  readonly limit: KeyLimit | undefined;
}

/** A token bucket: `burst` tokens at most, refilled with `perSecond`. */
export interface KeyLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A stored key, without its secret. */
export interface ApiKey extends KeyRights {
  readonly id: string;
  readonly name: string;
  /** ms since 1970. */
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
  /** The end of the validity of the secret before the last rotation, in ms since 1970. */
  readonly previousUntil: number | undefined;
}

/** A key with the hashes of its secrets, as gateways read it. */
export interface StoredKey extends ApiKey {
  readonly secretHash: Buffer;
  readonly previousHash: Buffer | undefined;
  readonly version: number;
}
