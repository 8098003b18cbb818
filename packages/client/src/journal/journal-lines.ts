import { TallyClientError } from "../tally-client-error.ts";

/*
 * The lines of a journal, each a JSON object:
 *
 *   {"number":7,"purchase":{…}}   a purchase that was added
 *   {"settled":[5,6,7]}           these no longer wait
 */

export const addedLine = (number: number, text: string): string => `{"number":${number},"purchase":${text}}\n`;

export const settledLine = (numbers: readonly number[]): string => `${JSON.stringify({ settled: numbers })}\n`;

export interface ReadJournal {
  /** What waits: the text of each purchase by its number, in the order in which they were added. */
  readonly waiting: Map<number, string>;
  readonly highestNumber: number;
  /** Of the complete lines. What follows is a line whose write did not end: no `append()` has resolved for it. */
  readonly bytes: number;
}

/** Throws JOURNAL_DAMAGED for a complete line that is not one of the above. */
export function readLines(path: string, file: Buffer): ReadJournal {
  const bytes = file.lastIndexOf(0x0a) + 1;
  const waiting = new Map<number, string>();
  let highestNumber = 0;
  const lines = file.toString("utf8", 0, bytes).split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const read = readLine(line);
    if (read === undefined) throw new TallyClientError("JOURNAL_DAMAGED", `${path}, line ${index + 1}`);
    if ("settled" in read) for (const number of read.settled) waiting.delete(number);
    else {
      waiting.set(read.number, read.text);
      highestNumber = Math.max(highestNumber, read.number);
    }
  }
  return { waiting, highestNumber, bytes };
}

type Line = { readonly settled: readonly number[] } | { readonly number: number; readonly text: string };

function readLine(line: string): Line | undefined {
  const value = parsed(line);
  if (typeof value !== "object" || value === null) return undefined;
  if ("settled" in value) {
    const { settled } = value;
    return Array.isArray(settled) && settled.every((one) => typeof one === "number") ? { settled } : undefined;
  }
  if (!("number" in value && "purchase" in value)) return undefined;
  const { number, purchase } = value;
  const isPurchase = typeof number === "number" && typeof purchase === "object" && purchase !== null;
  return isPurchase ? { number, text: JSON.stringify(purchase) } : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The caller reports the line.
    return undefined;
  }
}
