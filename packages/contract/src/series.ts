import type { MirroredBoards } from "./moves.ts";

/*
 * Mirrored counts come in series: a measure, of all time or of a business day. "" is the first measure of all time,
 * "20261126" that of a day, "netSales" another measure, "20261126/netSales" that of a day. The name precedes the names
 * of the boards: "20261126/item:42". Redis keeps "" always, others by WINDOWS and BY, and days for a short time only.
 */

/** Which series Redis keeps beside "". `measures`: by name. `from`: the first day, yyyymmdd; absent: no days. */
export interface KeptSeries {
  /** The boards of the chain are complete; absent: an earlier release has built it. */
  readonly chain?: true;
  readonly measures: readonly string[];
  readonly from?: number;
}

export const onlyAllTime: KeptSeries = { measures: [] };

/** The settings WINDOWS and BY. `by`: measures beside the first. */
export interface SeriesSettings {
  readonly windows: readonly ("all" | "day")[];
  readonly by: readonly string[];
}

/** As the settings are by default. */
export const defaultSeries: SeriesSettings = { windows: ["all", "day"], by: [] };

/** What Redis keeps from a time on. */
export function keptSince({ windows, by: measures }: SeriesSettings, now: number): KeptSeries {
  return windows.includes("day") ? { measures, from: firstLiveDay(now) } : { measures };
}

/** "day,netSales": the measures beside the first, and whether there are days. */
export function textOfSeries(series: SeriesSettings | KeptSeries): string {
  const { windows, by } = "windows" in series ? series : settingsOf(series);
  return [...windows.filter((window) => window === "day"), ...by].join();
}

/** The settings that ask for what is kept. */
export function settingsOf({ measures: by, from }: KeptSeries): SeriesSettings {
  return { windows: from === undefined ? ["all"] : ["all", "day"], by };
}

const dayMs = 86_400_000;
// Yesterday in the time zone that is farthest behind.
const daysBack = 2;

/** The first day with live boards. Writers count a sale in the boards of its day if that is not earlier when it is
 * stored; so a day has all of its sales while it is live. */
export function firstLiveDay(now: number): number {
  return utcDayOf(now - daysBack * dayMs);
}

/** The date of a time in UTC, as yyyymmdd. */
export function utcDayOf(ms: number): number {
  return Number(new Date(ms).toISOString().slice(0, 10).replaceAll("-", ""));
}

/** Later than the other one, a day is forgotten: readers and an audit that is under way have other clocks. */
export function firstKeptDay(now: number): number {
  return firstLiveDay(now - dayMs);
}

export function seriesOfBoard(board: string): string {
  return board.slice(0, Math.max(0, board.lastIndexOf("/", board.indexOf(":"))));
}

export function dayOfSeries(series: string): number | undefined {
  return /^\d{8}/.test(series) ? Number(series.slice(0, 8)) : undefined;
}

/** "" is the first one. */
export function measureOfSeries(series: string): string {
  return dayOfSeries(series) === undefined ? series : series.slice(9);
}

/** In which part of the folded counts of a member a key is. Those of days are smaller: the counts of one key in all
 * members are read by its slice. */
export function sliceOf(series: string, key: number): number {
  return key % slicesIn(series);
}

/** Where a key of this slice may be: there or, when it is full, in the next of these. */
export function slicesOf(series: string, key: number): readonly number[] {
  return Array.from({ length: 256 / slicesIn(series) }, (_, part) => sliceOf(series, key) + part * slicesIn(series));
}

const slicesIn = (series: string): number => (series === "" ? 8 : 16);

export function isKept(series: string, { measures, from }: KeptSeries): boolean {
  const [day, measure] = [dayOfSeries(series), measureOfSeries(series)];
  if (measure !== "" && !measures.includes(measure)) return false;
  return day === undefined || (from !== undefined && day >= from);
}

/** The boards of the chain, which have the sums of all keys and of all members of a day: "20261126/item:" has
 * "20261126/all:items". undefined: all time, which has none. */
export function chainBoards({ prefix, mirrorPrefix }: MirroredBoards) {
  if (dayOfSeries(prefix) === undefined) return undefined;
  const nameOf = (one: string) => one.replace(/([^/]*):$/, "all:$1s");
  return { keys: nameOf(prefix), members: nameOf(mirrorPrefix) };
}

/** Whether a generation with these series has all of a board. */
export function isKeptBoard(board: string, kept: KeptSeries): boolean {
  const series = seriesOfBoard(board);
  return (kept.chain === true || !board.startsWith("/all:", series.length)) && isKept(series, kept);
}

/** The boards of a series of these boards. */
export function boardsOfSeries({ prefix, mirrorPrefix }: MirroredBoards, series: string): MirroredBoards {
  return series === ""
    ? { prefix, mirrorPrefix }
    : { prefix: `${series}/${prefix}`, mirrorPrefix: `${series}/${mirrorPrefix}` };
}
