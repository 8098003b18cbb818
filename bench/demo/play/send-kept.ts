import { TallyClientError } from "@tally/client";
import type { Sale } from "../day/plan-day.ts";
import { purchaseOf } from "../day/requests.ts";
import type { Sender } from "./sender.ts";

/**
 * Sends kept purchases in bulk, the oldest first, until each is acknowledged. Resolves with the number of those that are not: rejected, or given
 * up.
 */
export async function sendKept(
  sender: Sender,
  kept: readonly Sale[],
  onAcknowledged: (sale: Sale, id: string) => void,
): Promise<number> {
  const bulk = sender.bulk(kept.length);
  let failed = 0;
  const settled = kept.map(async (sale) => {
    const added = await bulk.add(purchaseOf(sale));
    const settlement = await added.settled;
    if (settlement.outcome === "accepted") onAcknowledged(sale, settlement.id);
    else failed++;
  });
  await bulk.flush(sender.givenUp).catch((error: unknown) => {
    if (error instanceof TallyClientError) sender.refuse(`POST /purchases: ${error.message}`);
    else if (!sender.givenUp.aborted) throw error;
  });
  await bulk.close({ withinMs: 0 });
  await Promise.all(settled);
  return failed;
}
