import type { Domain, SqlTransaction } from "@tally/contract";
import { servedDomains as served } from "@tally/domains";

export * from "@tally/domains";

/** Judges each correction without what other transactions have taken back of its sale. */
export const servedDomains: typeof served = (names) => served(names).map(withoutEarlier);

function withoutEarlier(domain: Domain): Domain {
  const unread = (transaction: SqlTransaction): SqlTransaction => ({
    ...transaction,
    query: async (sql, values) =>
      sql.includes("FROM purchase_corrections WHERE sale_id") ? [] : transaction.query(sql, values),
  });
  const write: Domain["store"]["write"] = (transaction, ...rest) => domain.store.write(unread(transaction), ...rest);
  return { ...domain, store: { ...domain.store, write } };
}
