import type { SqlReader } from "@tally/contract";
import { clockOf } from "@tally/database";
import { Gauge, type Log, type Registry } from "@tally/runtime";

const roundTripMaxMs = 1000; // a measurement is exact to half of its round trip
const offsetMaxMs = 2000;
const endsBelowMs = 1500; // less: a clock near the limit does not log at each measurement

/** Such as "3.1 s ahead of the database's"; undefined: unknown, or at most 2 s. */
export function clockProblem(offsetMs: number | null): string | undefined {
  if (offsetMs === null || Math.abs(offsetMs) <= offsetMaxMs) return undefined;
  return `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? "ahead of" : "behind"} the database's`;
}

export type ClockOffset = ReturnType<typeof clockOffset>;

/** Compares the clock of this process with that of the write endpoint, which `writer` reads. Logs when they begin to
 * differ by more than 2 s and when they agree again, and adds a metric. */
export function clockOffset(writer: SqlReader, log: Log, registry: Registry, now = () => Date.now()) {
  const help = "Clock of the process minus that of the database, measured every 10 s; NaN: not measured yet";
  const gauge = new Gauge({ name: "tally_clock_offset_seconds", help, registers: [registry] });
  gauge.set(NaN);
  let ms: number | null = null;
  let isWrong = false;
  return {
    /** The clock of this process minus the database's, in ms; null: not measured yet. */
    get ms(): number | null {
      return ms;
    },
    /** One short read. Never rejects. Without a response within a second the last offset stays. */
    async measure(): Promise<void> {
      const begunAt = now();
      const itsTime = await clockOf(writer).catch(() => undefined);
      const endedAt = now();
      // The absolute value: the clock may have been set back meanwhile.
      if (itsTime === undefined || Math.abs(endedAt - begunAt) > roundTripMaxMs) return;
      ms = Math.round((begunAt + endedAt) / 2 - itsTime);
      gauge.set(ms / 1000);
      const problem = clockProblem(ms);
      if (!isWrong && problem !== undefined) {
        isWrong = true;
        log.warn({ offsetMs: ms }, `the clock of this process is ${problem}`);
      } else if (isWrong && Math.abs(ms) < endsBelowMs) {
        isWrong = false;
        log.info({ offsetMs: ms }, "the clock of this process agrees with the database's again");
      }
    },
  };
}
