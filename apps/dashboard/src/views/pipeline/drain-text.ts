import { spanText } from "../../parts/format.ts";

/** How long the waiting events take, as "12 s to drain". */
export function drainText(secondsToDrain: number | null): string {
  if (secondsToDrain === null) return "time to drain unknown";
  // Half a second is one look at the queues: events pass through them all the time.
  return secondsToDrain < 0.5 ? "nothing waits" : `${spanText(secondsToDrain * 1000)} to drain`;
}
