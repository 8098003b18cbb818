/** Which Idempotency-Keys a replay sends. */
export const replayKeys = ["same", "new", "none"] as const;
/**
 * same: that of each line, so a second replay into one system adds nothing. new: other keys in each replay, so each adds all events. none: no
 * keys, as from clients without them; each replay adds all events. A lift ride of a skier is the same ride with any of them.
 */
export type ReplayKeys = (typeof replayKeys)[number];

/** An exported day, sent at its own times divided by `speed`. Plain data, because it is sent to the thread. */
export interface ReplayPhase {
  readonly model: "replay";
  readonly file: string;
  readonly speed: number;
  readonly keys: ReplayKeys;
  /** Makes the keys of "new" different in each replay. */
  readonly id: string;
  readonly found: ReplayFile;
  /** The lines of one of several threads: each `parts`th one, from `part` on. */
  readonly part: number;
  readonly parts: number;
}

/** What a scan has found in a file. Times are in ms since 1970. */
export interface ReplayFile {
  /** Lines with an event. */
  readonly lines: number;
  /** Those whose event id has a time. */
  readonly timed: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Timed lines behind a later one: they are sent with it. */
  readonly disordered: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The original length of a replay in ms: from the first time to the last; a day where the events have no times, or only one. */
export function spanMsOf({ lines, timed, firstMs, lastMs }: ReplayFile): number {
  if (lastMs > firstMs) return lastMs - firstMs;
  return lines > timed ? dayMs : 0;
}

/** How a replay kept to its schedule. */
export interface ScheduleKept {
  /** Requests that were sent `lateFromMs` or more after they were due. */
  readonly late: number;
  /** How long after it was due each request was sent, in µs, encoded by hdr-histogram-js: exact up to 120 s. */
  readonly behind: string;
  readonly mostBehindMs: number;
  /** Of the last request. */
  readonly behindAtEndMs: number;
}

/** Below this a request is on time: timers and garbage collection take as long. */
export const lateFromMs = 10;
