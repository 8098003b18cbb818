import { spreadOver } from "@tally/domains/workloads";
import { zones, type Zone } from "./chain.ts";

const firstItem = 10_000;
const itemCount = 2000;
const linesMax = 5;
const rank = spreadOver(itemCount, itemCount).zipf;

/*
 * The nth best-selling item is 1/n as likely as the best. Half of what a zone sells follows the order of the whole chain, half an order of its
 * own, so that zones agree about some of their best items.
 */
const sharedWithChain = 0.5;
// Has no common divisor with the number of items, so that each rank is another item.
const stride = 709;
const startOfZone = 631;

/** What a customer buys: 1 to 5 items, each once, most of them one piece. */
export function drawItems(zone: Zone, random: () => number): readonly (readonly [item: number, quantity: number])[] {
  const bought = new Map<number, number>();
  const lines = 1 + Math.floor(random() * linesMax);
  for (let line = 0; line < lines; line++) {
    const start = random() < sharedWithChain ? 0 : (zones.indexOf(zone) + 1) * startOfZone;
    const item = firstItem + ((rank(random) * stride + start) % itemCount);
    bought.set(item, (bought.get(item) ?? 0) + quantity(random));
  }
  return [...bought];
}

function quantity(random: () => number): number {
  return random() < 0.8 ? 1 : 2 + Math.floor(random() * 3);
}
