import { keyedRead, type Sources } from "@tally/contract";
import { topLimitMax, topOf } from "../values.ts";
import { ItemCounts, type ItemCount } from "./item-counts.ts";
import { itemsOfStore } from "./series.ts";

/** All counts of a store as of one moment: what folded batches add, and the rows of the batches in the ledger. */
const itemsSold = keyedRead({
  select: `
    WITH asked AS (SELECT ? AS store_id)
    SELECT asked.store_id, CAST(counts AS CHAR) AS counts
      FROM asked JOIN folded_series ON domain = 'purchases' AND member = asked.store_id
    UNION ALL
    SELECT asked.store_id, CAST(items AS CHAR)
      FROM asked JOIN purchases USING (store_id) JOIN batches USING (producer, sequence) WHERE domain = 'purchases'
    UNION ALL
    SELECT asked.store_id, CAST(items AS CHAR)
      FROM asked JOIN purchase_corrections USING (store_id) JOIN batches USING (producer, sequence)
      WHERE domain = 'purchases'`,
  key: ["store_id"],
  keysMax: 1,
  async ofRows(rows: readonly { readonly store_id: number; readonly counts: string }[]): Promise<readonly ItemCount[]> {
    const sold = new ItemCounts();
    await sold.add(rows.map(({ counts }) => counts));
    return sold.top(topLimitMax);
  },
});

/** The items that sold most in a store and the age of the ranking: from its board or, if that has too few of its items
 * in order, from all rows of the store, which takes a second for some 100,000. */
export async function topItemsOfStore(
  { boards, read }: Pick<Sources, "boards" | "read">,
  storeID: number,
  limit: number,
): Promise<{ asOf: string | null; items: ItemCount[] }> {
  const board = itemsOfStore(storeID);
  const top = await topOf(boards, board, limit, (id, quantity) => ({ itemID: Number(id), quantity }));
  const items = top.isExact ? top.entries : (await read(itemsSold, [storeID])).slice(0, limit);
  return { asOf: top.asOf, items };
}
