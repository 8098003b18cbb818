import type { SqlReader, SqlTransaction } from "@tally/contract";

/** What a key allows. */
interface KeyRights {
  /** Such as "purchases:write", "purchases:read" or "purchases:operate"; "*" as the domain means all domains. */
  readonly scopes: readonly string[];
  /** The only stores that it may read and write, as text without leading zeros; undefined: all. */
  readonly stores: readonly string[] | undefined;
  /** Its own rate limit; undefined: the limit of the gateway's settings. */
  readonly limit: KeyLimit | undefined;
}

/** A token bucket: `burst` tokens at most, refilled with `perSecond`. */
export type KeyLimit = Readonly<Record<"perSecond" | "burst", number>>;

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

/** The folder of the numbered SQL files. */
export const accessMigrations = new URL("./migrations/", import.meta.url);

// Locks the only row until the commit, so changes are serial and readers see versions in ascending order.
const nextVersion =
  "INSERT INTO api_key_version (one, version) VALUES (1, 1) ON DUPLICATE KEY UPDATE version = version + 1";
const selectVersion = "SELECT version FROM api_key_version WHERE one = 1";
const columns = `id, name, secret_hash AS secretHash, previous_hash AS previousHash, previous_until AS previousUntil,
  scopes, stores, events_per_second AS perSecond, burst, created_at AS createdAt, revoked_at AS revokedAt, version`;
const selectChanged = `SELECT ${columns} FROM api_keys WHERE version > ? ORDER BY version LIMIT ?`;
const selectAll = `SELECT ${columns} FROM api_keys ORDER BY created_at, id`;
const selectOne = `SELECT ${columns} FROM api_keys WHERE id = ?`;
const insertKey = `INSERT INTO api_keys
  (id, name, secret_hash, scopes, stores, events_per_second, burst, created_at, version) VALUES ?`;
const updateSecret = `UPDATE api_keys SET previous_hash = secret_hash, previous_until = ?, secret_hash = ?, version = ?
  WHERE id = ? AND secret_hash <> ?`;
const updateRevoked = `UPDATE api_keys SET revoked_at = ?, previous_hash = NULL, previous_until = NULL, version = ?
  WHERE id = ? AND revoked_at IS NULL`;

type OptionalNumbers = Readonly<Record<"perSecond" | "burst" | "revokedAt" | "previousUntil", number | null>>;

interface Row extends OptionalNumbers, Pick<StoredKey, "id" | "name" | "createdAt" | "secretHash" | "version"> {
  readonly scopes: string;
  readonly stores: string | null;
  readonly previousHash: Buffer | null;
}

/** Stores a new key. Safe to retry: an existing id is the same key. */
export async function createKey(
  transaction: SqlTransaction,
  { id, name, hash, scopes, stores, limit }: KeyRights & { id: string; name: string; hash: Buffer },
): Promise<void> {
  const version = await takeVersion(transaction);
  const listed = stores?.join(" ") ?? null;
  const { perSecond = null, burst = null } = limit ?? {};
  await transaction.insert(insertKey, [
    [id, name, hash, scopes.join(" "), listed, perSecond, burst, Date.now(), version],
  ]);
}

/** Gives a key a new secret; the previous one stays valid until `previousUntil`, in ms since 1970; null: it ends now.
 * While an earlier one is valid, clients may still use it: the key is then rotated only if the previous one ends now. Safe
 * to retry. */
export async function rotateKey(
  transaction: SqlTransaction,
  { id, hash, previousUntil }: { readonly id: string; readonly hash: Buffer; readonly previousUntil: number | null },
): Promise<"rotated" | "absent" | "revoked" | { readonly rotatingUntil: number }> {
  const version = await takeVersion(transaction);
  const key = await findKey(transaction, id);
  if (key === undefined) return "absent";
  if (key.revokedAt !== undefined) return "revoked";
  const { secretHash, previousUntil: rotatingUntil = 0 } = key;
  if (previousUntil !== null && rotatingUntil > Date.now() && !secretHash.equals(hash)) return { rotatingUntil };
  await transaction.execute(updateSecret, [previousUntil, hash, version, id, hash]);
  return "rotated";
}

/** Makes a key permanently invalid. Safe to retry. */
export async function revokeKey(transaction: SqlTransaction, id: string): Promise<"revoked" | "absent"> {
  const version = await takeVersion(transaction);
  if ((await findKey(transaction, id)) === undefined) return "absent";
  await transaction.execute(updateRevoked, [Date.now(), version, id]);
  return "revoked";
}

/** All keys, oldest first, including revoked ones. */
export async function listKeys(reader: SqlReader): Promise<readonly ApiKey[]> {
  return (await reader.query<Row>(selectAll)).map(storedKeyOf);
}

/** The version of the last change; 0 before the first. */
export async function readVersion(reader: SqlReader): Promise<number> {
  const [row] = await reader.query<{ readonly version: number }>(selectVersion);
  return row?.version ?? 0;
}

/** Keys that were changed after a version, in the order of the changes, including revoked ones. */
export async function readChanged(reader: SqlReader, after: number, limit: number): Promise<readonly StoredKey[]> {
  return (await reader.query<Row>(selectChanged, [after, limit])).map(storedKeyOf);
}

async function findKey(reader: SqlReader, id: string): Promise<StoredKey | undefined> {
  const [row] = await reader.query<Row>(selectOne, [id]);
  return row === undefined ? undefined : storedKeyOf(row);
}

async function takeVersion(transaction: SqlTransaction): Promise<number> {
  await transaction.execute(nextVersion);
  return readVersion(transaction);
}

function storedKeyOf({ perSecond, burst, ...row }: Row): StoredKey {
  return {
    ...row,
    scopes: row.scopes.split(" "),
    stores: row.stores?.split(" "),
    limit: perSecond === null || burst === null ? undefined : { perSecond, burst },
    revokedAt: row.revokedAt ?? undefined,
    previousUntil: row.previousUntil ?? undefined,
    previousHash: row.previousHash ?? undefined,
  };
}
