import type { Responded } from "@tally/lab/load";
import type { Sale } from "../day/plan-day.ts";
import { bulkRequestOf } from "../day/requests.ts";
import type { Sender } from "./sender.ts";

// The gateway takes 1,000 entries; smaller requests show progress.
const entriesMax = 250;

/** Sends kept purchases in bulk, the oldest first, until each is acknowledged. Resolves with those that are not: rejected, or given up. */
export async function sendKept(
  sender: Sender,
  kept: readonly Sale[],
  onAcknowledged: (sale: Sale, id: string) => void,
): Promise<readonly Sale[]> {
  const failed: Sale[] = [];
  for (let from = 0; from < kept.length; from += entriesMax) {
    let waiting = kept.slice(from, from + entriesMax);
    while (waiting.length > 0) {
      const response = await sender.send(bulkRequestOf(waiting));
      if (response === undefined) {
        failed.push(...waiting);
        break;
      }
      const again: Sale[] = [];
      const results = resultsOf(response);
      for (const [index, sale] of waiting.entries()) {
        const { status, id } = results[index] ?? { status: 0, id: "" };
        if (status === 201) onAcknowledged(sale, id);
        else if (status >= 400 && status < 500 && status !== 429) failed.push(sale);
        else again.push(sale);
      }
      waiting = again;
    }
  }
  return failed;
}

/** The result of each entry, in their order. Throws for a body that is not a bulk response. */
function resultsOf({ text }: Responded): readonly { readonly status: number; readonly id: string }[] {
  const body: unknown = JSON.parse(text);
  const results: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "results") : undefined;
  if (!Array.isArray(results)) throw new TypeError(`POST /purchases: expected results, got ${text.slice(0, 200)}`);
  return results.map((result: unknown) => {
    const fieldOf = (name: string): unknown =>
      typeof result === "object" && result !== null ? Reflect.get(result, name) : undefined;
    const id = fieldOf("id");
    return { status: Number(fieldOf("status")), id: typeof id === "string" ? id : "" };
  });
}
