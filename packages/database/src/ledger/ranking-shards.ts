import type { SqlReader, SqlTransaction } from "@tally/contract";

const insertDomains = "INSERT INTO ranking_shards (domain) VALUES ? ON DUPLICATE KEY UPDATE shards = shards";
const selectShards = "SELECT shards FROM ranking_shards WHERE domain = ?";
const updateShards = "UPDATE ranking_shards SET shards = ? WHERE domain = ?";

/** Adds the rows of domains that have none. May be repeated. */
export async function addDomains(transaction: SqlTransaction, domains: readonly string[]): Promise<void> {
  await transaction.upsert(
    insertDomains,
    domains.map((domain) => [domain]),
  );
}

/** The number of shards that the rankings of a domain had last; undefined: they were never built. One lookup. */
export async function readShards(reader: SqlReader, domain: string): Promise<number | undefined> {
  const [row] = await reader.query<{ shards: number | null }>(selectShards, [domain]);
  return row?.shards ?? undefined;
}

/** Keeps the number of shards of a domain that has a row. May be repeated. */
export async function keepShards(transaction: SqlTransaction, domain: string, shards: number): Promise<void> {
  await transaction.execute(updateShards, [shards, domain]);
}
