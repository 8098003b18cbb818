import type { Profile } from "../profiles.ts";
import { costOf } from "./cost-of.ts";
import { prices, region } from "@tally/prices";

/** The cost of a profile as a table for a terminal. */
export function costText(profile: Profile): string {
  const { lines, usdPerMonth, usdPerMillionEvents } = costOf(profile);
  const rows = lines.map(({ tier, price, count, usdPerMonth: sum }) => {
    const { usd, per, asOf, basis } = prices[price];
    return [
      tier.padEnd(9),
      `${count} × ${price}`.padEnd(40),
      `${usd} / ${per}`.padEnd(18),
      dollars(sum),
      `  ${asOf}, ${basis}`,
    ].join(" ");
  });
  return [
    `${profile.name}: for ${profile.peakEventsPerSecond} events a second at the peak, in ${region}, US dollars a month`,
    ...rows,
    `${"".padEnd(68)} ${dollars(usdPerMonth)}`,
    `and ${usdPerMillionEvents.toFixed(3)} for each million events (estimate), without data that leaves AWS, crosses zones or is stored later`,
  ].join("\n");
}

function dollars(value: number): string {
  return value.toFixed(2).padStart(9);
}
