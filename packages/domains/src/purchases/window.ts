import { InvalidInput, type Sources } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, TopLimit, wholeNumbers } from "../values.ts";
import { dateAfter } from "./business-day.ts";
import { DateText, parseCalendarDate } from "./calendar-date.ts";
import { shownCurrency } from "./currency.ts";
import { DayText, resolveDate } from "./registry.ts";
import { measures, type Measure } from "./series.ts";

const daysMax = 366;

/** What a ranking counts, and of which days: all without any. */
export interface Window {
  readonly by: Measure;
  /** yyyymmdd, in their order. */
  readonly days?: readonly number[];
}

export const allTime: Window = { by: "quantity" };

const By = Type.Enum(measures, { expected: `one of ${measures.join(", ")}` });
export const WindowQuery = closed({
  date: Type.Optional(DayText),
  from: Type.Optional(DateText),
  to: Type.Optional(DateText),
  by: Type.Optional(By),
});

const offsets = wholeNumbers(0, 900);
export const PageQuery = closed({ limit: TopLimit, offset: Type.Optional(offsets.Text), ...WindowQuery.properties });
export const parseOffset = (offset: string | number = 0): number => offsets.parse("offset", offset);

/** The window in a response. */
export const ShownWindow = {
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  by: By,
  currency: Type.Optional(Type.String()),
};

/** A window, and how it is shown. `storeID`: whose today it is. Throws InvalidInput. */
export async function parseWindow(sources: WindowSources, query: Static<typeof WindowQuery>, storeID?: number) {
  const { by = "quantity" } = query;
  const days = await daysIn(sources, query, storeID);
  const shown = { by, ...(by !== "quantity" && (await shownCurrency(sources))) };
  if (days === undefined) return { window: { by }, shown };
  return { window: { by, days }, shown: { from: String(days[0]), to: String(days.at(-1)), ...shown } };
}

type WindowSources = Pick<Sources, "readNewest" | "readKept">;

async function daysIn(sources: WindowSources, { date, from, to }: Static<typeof WindowQuery>, storeID?: number) {
  if (date !== undefined) {
    const beside = from === undefined ? "to" : "from";
    if ((from ?? to) !== undefined) throw new InvalidInput(beside, "no such field beside date", from ?? to);
    return [await resolveDate(sources, storeID, date)];
  }
  if (from === undefined && to === undefined) return undefined;
  const [missing, beside] = from === undefined ? ["from", "to"] : ["to", "from"];
  if (from === undefined || to === undefined) throw new InvalidInput(missing, `a date beside ${beside}`, undefined);
  return daysOf(parseCalendarDate("from", from), parseCalendarDate("to", to));
}

function daysOf(from: number, to: number): readonly number[] {
  if (to < from) throw new InvalidInput("to", `a day from ${from} on`, String(to));
  const days: number[] = [];
  for (let day = from; day <= to; day = dateAfter(day, 1))
    if (days.push(day) > daysMax) throw new InvalidInput("to", `at most ${daysMax} days from ${from} on`, String(to));
  return days;
}
