import { createTallyClient } from "@tally/client";
import type { GatewayAddress } from "./day-player.ts";
import { itemIds, type DayPlan } from "./plan-day.ts";

/* Names of the demo's stores and items. They are the same on each day. */

const goods = [
  ["Bakery", ["Rye bread", "Bagels", "Croissants", "Rolls"]],
  ["Dairy", ["Milk", "Yoghurt", "Butter", "Cheddar"]],
  ["Drinks", ["Coffee", "Green tea", "Apple juice", "Water"]],
  ["Fruit", ["Apples", "Bananas", "Pears", "Lemons"]],
  ["Household", ["Soap", "Sponges", "Candles", "Paper towels"]],
] as const;
const sizes = ["small", "large", "organic", "family pack", "classic", "mini"];

function itemOf(id: number) {
  const [category, names] = goods[id % goods.length] ?? goods[0];
  const [name, size] = [names[id % names.length], sizes[id % sizes.length]];
  return { name: `${name}, ${size}`, category };
}

const atOnce = 16;

/** Registers the stores and items of a day. Returns what the gateway responds if it does not register them: the demo
 * works without names, but its prices then need CURRENCY. */
export async function registerNames({ url, apiKey }: GatewayAddress, { stores }: DayPlan): Promise<string | undefined> {
  const { PUT } = createTallyClient({ baseUrl: url, apiKey });
  const puts = [
    ...stores.map(({ id, zone }) => () => {
      const { ianaName, region, storeNames } = zone;
      const name = storeNames[(id - 1) % storeNames.length];
      const body = { zone: ianaName, region, currency: "USD", ...(name !== undefined && { name }) };
      return PUT("/stores/{storeID}", { params: { path: { storeID: `${id}` } }, body });
    }),
    ...itemIds.map((id) => () => PUT("/items/{itemID}", { params: { path: { itemID: `${id}` } }, body: itemOf(id) })),
  ];
  for (let at = 0; at < puts.length; at += atOnce) {
    const responses = await Promise.all(puts.slice(at, at + atOnce).map((put) => put()));
    for (const { error } of responses) if (error !== undefined) return JSON.stringify(error);
  }
  return undefined;
}
