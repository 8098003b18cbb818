import type { Refusal } from "@tally/contract";
import type { Static } from "typebox";
import type { Correction, CountedLines, PurchaseEvent, RefundEvent } from "./event.ts";
import { moneyText } from "./money.ts";

/** What a correction counts, and where. Without amounts they are unknown. */
export interface Counted {
  readonly storeId: number;
  readonly date: number;
  readonly lines: readonly CorrectedLine[];
}

type CorrectedLine = Static<typeof CountedLines>[number];

/** A line of a sale, and what was taken back of it. */
interface Line {
  readonly itemId: number;
  readonly sold: number;
  /** The price of all units; undefined without a price. Less the discount it is the value. */
  readonly gross: number | undefined;
  readonly value: number | undefined;
  readonly returned: number;
  /** The value that is not refunded yet. */
  readonly left: number | undefined;
}

/** A sale with what was taken back of it so far. */
export class CorrectedSale {
  readonly #sale: PurchaseEvent;
  #lines: readonly Line[];
  #isVoid = false;

  constructor(sale: PurchaseEvent) {
    this.#sale = sale;
    this.#lines = sale.lines.map(([itemId, sold, price, discount = 0]) => {
      const gross = price === undefined ? undefined : price * sold;
      const value = gross && gross - discount;
      return { itemId, sold, gross, value, returned: 0, left: value };
    });
  }

  /** How many units of each line can still be refunded. */
  get refundable(): readonly number[] {
    return this.#lines.map(({ sold, returned }) => (this.#isVoid ? 0 : sold - returned));
  }

  /** Adds a stored correction and what it counts. Not judged again: corrections are read in another order than they were
   * stored, in which their sale may not admit all of them. */
  restore(correction: Correction, counted: Counted["lines"]): void {
    const lines = [...this.#lines];
    if (correction.kind === "void") this.#isVoid = true;
    else
      for (const [index, [at, , quantity]] of correction.lines.entries()) {
        const line = lines[at];
        if (line !== undefined) lines[at] = lessened(line, quantity, -(counted[index]?.[2] ?? 0));
      }
    this.#lines = lines;
  }

  /** Takes back what a correction names. Changes nothing if it is refused: no more is taken back than was sold. */
  apply(correction: Correction): Counted | Refusal {
    const { id, storeId, date } = this.#sale;
    if (this.#isVoid) return { reason: `the sale ${id} is void` };
    if (correction.kind === "refund") return this.#refund(correction);
    if (this.#lines.some(({ returned }) => returned > 0))
      return { reason: `the sale ${id} has refunds: refund the rest of it` };
    this.#isVoid = true;
    return {
      storeId,
      date,
      lines: this.#lines.map(({ itemId, sold, ...of }) => correctedLine(itemId, sold, of.value, of.gross)),
    };
  }

  #refund({ storeId, date, lines: asked }: RefundEvent): Counted | Refusal {
    const lines = [...this.#lines];
    const counted: CorrectedLine[] = [];
    for (const [at, itemId, quantity, given] of asked) {
      const line = lines[at];
      const reason =
        line === undefined ? `the sale has ${lines.length} lines, from 0` : problemOf(line, itemId, quantity);
      if (line === undefined || reason !== undefined) return { reason: `line ${at}: ${reason}` };
      const amount = given ?? shareOf(line, quantity);
      if (amount !== undefined && line.left === undefined)
        return { reason: `line ${at}: it was sold without a price, so it has no amount` };
      if (amount !== undefined && line.left !== undefined && amount > line.left)
        return { reason: `line ${at}: ${moneyText(line.left)} are left, not ${moneyText(amount)}` };
      lines[at] = lessened(line, quantity, amount);
      counted.push(correctedLine(itemId, quantity, amount));
    }
    this.#lines = lines;
    return { storeId, date, lines: counted };
  }
}

function lessened(line: Line, quantity: number, amount = 0): Line {
  return { ...line, returned: line.returned + quantity, left: line.left && line.left - amount };
}

function problemOf({ itemId, sold, returned }: Line, asked: number, quantity: number): string | undefined {
  if (itemId !== asked) return `the sale has item ${itemId} there, not ${asked}`;
  if (returned + quantity <= sold) return undefined;
  return `${sold} were sold and ${returned} taken back, so not ${quantity} more`;
}

function correctedLine(itemId: number, quantity: number, net: number | undefined, gross?: number): CorrectedLine {
  if (net === undefined) return [itemId, -quantity];
  return gross === undefined ? [itemId, -quantity, -net] : [itemId, -quantity, -net, -gross];
}

/** The value of the next units of a line, or what is left of it. All shares add up to the value. */
function shareOf({ sold, value, returned, left }: Line, quantity: number): number | undefined {
  if (value === undefined || left === undefined) return undefined;
  const upTo = (units: number): number => Number((BigInt(value) * BigInt(units)) / BigInt(sold));
  return Math.min(left, upTo(returned + quantity) - upTo(returned));
}
