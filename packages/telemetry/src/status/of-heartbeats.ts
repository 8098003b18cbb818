import { addHops, HopName, type Heartbeat } from "../heartbeats/heartbeat.ts";
import { countOf, quantileOf } from "../heartbeats/hop-times.ts";
import { type FoundHeartbeat } from "../heartbeats/connect-heartbeats.ts";
import type { HopStatus, LoggedError, ProcessStatus } from "./status.ts";

const goneAfterMs = 3000;
const errorsMax = 20;

/** Whether a process has sent a heartbeat within 3 s. */
export function isAlive({ ageMs }: FoundHeartbeat): boolean {
  return ageMs < goneAfterMs;
}

/** What a heartbeat says of its process. */
export function processOf(beat: FoundHeartbeat): ProcessStatus {
  const { app, host, pid, startedAt, at, threads } = beat;
  return {
    app,
    host,
    pid,
    state: isAlive(beat) ? "up" : "gone",
    startedAt: new Date(startedAt).toISOString(),
    heartbeatAt: new Date(at).toISOString(),
    threads,
  };
}

/**
 * The times of all processes together, in the order in which a batch takes the hops. Hops without batches are left out.
 */
export function hopsOf(beats: readonly Heartbeat[]): HopStatus[] {
  const hops = addHops(beats.flatMap((beat) => beat.hops));
  hops.sort((a, b) => HopName.enum.indexOf(a.hop) - HopName.enum.indexOf(b.hop));
  return hops.flatMap(({ hop: name, times }) => {
    const batches = countOf(times);
    return batches === 0 ? [] : [{ name, batches, p50Ms: quantileOf(times, 0.5), p99Ms: quantileOf(times, 0.99) }];
  });
}

/** The newest lines of all logs, newest first. Equal lines of one thread are one entry with their number. */
export function errorsOf(beats: readonly Heartbeat[]): LoggedError[] {
  const lines = beats.flatMap(({ app, host, pid, problems }) =>
    problems.map((problem) => ({ ...problem, app, host, pid })),
  );
  const equal = Map.groupBy(lines, ({ app, host, pid, thread, level, message }) =>
    JSON.stringify([app, host, pid, thread, level, message]),
  );
  return [...equal.values()]
    .flatMap((same) => {
      const [newest] = same.toSorted(newestFirst);
      return newest === undefined ? [] : [{ ...newest, times: same.length }];
    })
    .toSorted(newestFirst)
    .slice(0, errorsMax);
}

const newestFirst = (a: { readonly at: string }, b: { readonly at: string }): number => (a.at < b.at ? 1 : -1);
