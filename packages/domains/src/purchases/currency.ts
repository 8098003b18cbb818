import { InvalidInput, keyedRead, type Sources, type SqlTransaction } from "@tally/contract";
import { Type } from "typebox";
import type { PurchaseEvent } from "./event.ts";
import { checkTimes } from "./registry.ts";
import { inLedger } from "./series.ts";

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

// Of a store: what is folded, and the rows of batches in the ledger.
const selectSold = `
  SELECT 1 FROM folded_series
  WHERE domain = 'purchases' AND series IN ('grossSales', 'netSales') AND member = ? AND counts <> '[]'
  UNION ALL
  SELECT 1 FROM purchases ${inLedger} AND store_id = ? AND JSON_LENGTH(items, '$[0]') > 2
  LIMIT 1`;

type OfSystem = Pick<Sources, "currency">;

/** Rankings add up the money of all stores, so all have one currency. What each row breaks; a single store may change
 * it until it has sold with prices. */
export async function currencyProblems(
  transaction: SqlTransaction,
  rows: readonly StoreCurrency[],
  { currency: ofSystem }: OfSystem,
) {
  if (rows.every(({ currency }) => currency === undefined)) return [];
  await transaction.upsert(lock, [[1]]);
  let [used] = await transaction.query<Used>(selectUsed);
  const expectedOf = async ({ id, currency }: StoreCurrency): Promise<string | undefined> => {
    if (currency === undefined) return undefined;
    if (ofSystem !== undefined && currency !== ofSystem && currency !== used?.currency)
      return `${ofSystem}, which CURRENCY sets`;
    const isOwn = used === undefined || (used.stores === 1 && used.id === id);
    if (used !== undefined && used.currency !== currency) {
      if (!isOwn) return `${used.currency}, which registered stores have`;
      if ((await transaction.query(selectSold, [id, id])).length > 0)
        return `${used.currency}, in which the store has sold`;
    }
    used = { currency, id, stores: isOwn ? 1 : 2 };
    return undefined;
  };
  const problems: (InvalidInput | undefined)[] = [];
  for (const row of rows) {
    const expected = await expectedOf(row);
    problems.push(expected === undefined ? undefined : new InvalidInput("currency", expected, row.currency));
  }
  return problems;
}

const registered = keyedRead({
  select: "SELECT currency FROM stores WHERE currency IS NOT NULL LIMIT 1",
  values: () => [],
  ofRows: ([row]: readonly { readonly currency: string }[]): { readonly currency?: string } => row ?? {},
});

/** Of the amounts in a response, a few seconds old: the currency of registered stores, else CURRENCY; `{}` where the
 * database does not respond. */
export async function shownCurrency({ readKept, currency }: OfSystem & Pick<Sources, "readKept">) {
  const ofStores = await readKept(registered, []);
  return { ...(ofStores !== undefined && currency !== undefined && { currency }), ...ofStores };
}

/** A CURRENCY that registered stores do not have: rankings would add up two. */
export async function currencyProblem({ readNewest, currency: got }: Newest) {
  if (got === undefined) return undefined;
  const { currency = got } = await readNewest(registered, []);
  return currency === got
    ? undefined
    : { variable: "CURRENCY", expected: `${currency}, which registered stores have`, got };
}

const hasCurrency = keyedRead({
  select: "SELECT store_id FROM stores WHERE store_id IN (?) AND currency IS NOT NULL",
  key: ["store_id"],
  keysMax: 1000,
  ofRows: (rows: readonly { readonly store_id: number }[]) => rows.length > 0,
});

type Checked = Pick<PurchaseEvent, "id" | "storeId" | "date" | "soldAt" | "lines">;
type Newest = OfSystem & Pick<Sources, "readNewest">;

const storesMax = 100_000;
/** Stores that have a currency: they keep one. */
const known = new WeakMap<Sources["readNewest"], Set<number>>();

/** Rejects as checkTimes does, and for prices without a currency. undefined, without I/O, also for prices with CURRENCY
 * or of a known store. While the registry cannot be read, they are accepted. */
export function checkPurchase(event: Checked, sources: Newest): Promise<void> | undefined {
  return checkTimes(event, sources)?.then(() => checkCurrency(event, sources)) ?? checkCurrency(event, sources);
}

function checkCurrency({ storeId, lines: [line] }: Checked, { currency, readNewest }: Newest) {
  if (line?.[2] === undefined || currency !== undefined) return undefined;
  const stores = known.getOrInsertComputed(readNewest, () => new Set());
  return stores.has(storeId) ? undefined : expectCurrency(storeId, readNewest, stores);
}

async function expectCurrency(storeId: number, readNewest: Sources["readNewest"], stores: Set<number>) {
  const isRegistered = await readNewest(hasCurrency, [storeId]).catch(() => undefined);
  if (isRegistered === undefined) return;
  const expected = `a currency of store ${storeId} (set it with PUT /stores/${storeId}, zone and currency, or CURRENCY)`;
  if (!isRegistered) throw new InvalidInput("items[0].unitPrice", expected, undefined);
  if (stores.size >= storesMax) stores.clear();
  stores.add(storeId);
}
