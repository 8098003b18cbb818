import type { Live } from "../../live/use-watch.ts";
import { countText, numberText } from "../../parts/format.ts";
import type { Sales } from "./attention.ts";

/** What was sold. An amount is decimal text, absent where the rankings do not keep it. */
export interface Sold {
  readonly quantity: number;
  readonly netSales?: string;
  /** Of the whole chain. */
  readonly receipts?: number;
}

/** What is shown first: money, or units where sales have no prices. */
export type Shown = Exclude<keyof Sold, "receipts">;

export const shownOf = ({ netSales = "0" }: Sold): Shown => (Number(netSales) === 0 ? "quantity" : "netSales");

export const titles = { netSales: "Net sales", quantity: "Units", receipts: "Receipts" } as const;

/** As "Net sales today, EUR". */
export const todayText = (shown: keyof Sold, { currency }: { readonly currency?: string } = {}): string =>
  `${titles[shown]} today${shown === "netSales" && currency !== undefined ? `, ${currency}` : ""}`;

/** As "1,234.50"; "–" for what is not known. */
export function figureText(sold: Sold | undefined, shown: keyof Sold): string {
  const figure = sold?.[shown];
  return figure === undefined ? "–" : countText(figure);
}

/** The tile of what was sold today, in the chain or in a part of it. */
export function soldTile(
  shown: keyof Sold,
  sold: (Sold & { readonly weekAgo?: Sold }) | undefined,
  { body, problem }: Live<Sales>,
) {
  const absent = body === undefined ? "loading" : "nothing sold";
  const compared = sold === undefined ? absent : comparisonText(sold, sold.weekAgo, shown);
  return {
    label: todayText(shown, body),
    value: figureText(sold, shown),
    note: problem?.message ?? (shown === "receipts" ? `${compared}; as counted last` : compared),
    isBad: problem !== undefined,
  };
}

/** As "12 % more than at this time a week ago". */
export function comparisonText(now: Sold, then: Sold | undefined, shown: keyof Sold): string {
  const [after, before] = [Number(now[shown] ?? 0), Number(then?.[shown] ?? Number.NaN)];
  if (Number.isNaN(before)) return "a week ago is not known";
  // Of nothing, and of more returned than sold, there is no share.
  if (before <= 0) return `${figureText(then, shown)} at this time a week ago`;
  const percent = Math.round((100 * (after - before)) / before);
  if (percent === 0) return "as much as at this time a week ago";
  return `${numberText(Math.abs(percent))} % ${percent > 0 ? "more" : "less"} than at this time a week ago`;
}
