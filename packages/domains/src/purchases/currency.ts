import { InvalidInput, keyedRead, type Sources, type SqlTransaction } from "@tally/contract";
import { Type } from "typebox";

const codes = new Set(Intl.supportedValuesOf("currency"));

/** ISO 4217. */
export const Currency = Type.Refine(
  Type.String({ pattern: "^[A-Z]{3}$", expected: "an ISO 4217 code of a currency, such as EUR" }),
  (text) => codes.has(text),
);

interface Used {
  readonly currency: string;
  /** How many stores have it. */
  readonly stores: number;
  /** One of them. */
  readonly id: number;
}

type StoreCurrency = Pick<Used, "id"> & { readonly currency: string | undefined };

// Until the commit: the next one sees what this one registers.
const lock = "INSERT INTO currency_lock (id) VALUES ? ON DUPLICATE KEY UPDATE id = VALUES(id)";
const selectUsed =
  "SELECT currency, COUNT(*) AS stores, MIN(store_id) AS id FROM stores WHERE currency IS NOT NULL GROUP BY currency";

/** Rankings add up the money of all stores, so all have one currency. What each row breaks; a single store may change
 * it. */
export async function currencyProblems(transaction: SqlTransaction, rows: readonly StoreCurrency[]) {
  if (rows.every(({ currency }) => currency === undefined)) return [];
  await transaction.upsert(lock, [[1]]);
  let [used] = await transaction.query<Used>(selectUsed);
  return rows.map(({ id, currency }) => {
    if (currency === undefined) return undefined;
    const isOwn = used === undefined || (used.stores === 1 && used.id === id);
    if (!isOwn && used?.currency !== currency)
      return new InvalidInput("currency", `${used?.currency}, which registered stores have`, currency);
    used = { currency, id, stores: isOwn ? 1 : 2 };
    return undefined;
  });
}

const currencyOfChain = keyedRead({
  select: "SELECT currency FROM stores WHERE currency IS NOT NULL LIMIT 1",
  values: () => [],
  ofRows: ([row]: readonly { readonly currency: string }[]): { readonly currency?: string } => row ?? {},
});

/** Of the amounts in a response, a few seconds old; `{}` where it is not known: no store has one, or the database does
 * not respond. */
export const shownCurrency = async ({ readKept }: Pick<Sources, "readKept">) =>
  (await readKept(currencyOfChain, [])) ?? {};
