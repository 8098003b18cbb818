import type { Status } from "@tally/telemetry";

/** One thread of one process. */
export interface ThreadRow {
  readonly key: string;
  readonly app: string;
  readonly host: string;
  readonly pid: number;
  /** "main" for a process without further threads. */
  readonly thread: string;
  readonly kind: "good" | "bad" | "busy";
  readonly state: string;
  readonly restarts: number;
  readonly startedAt: number;
  readonly lastError: string | null;
}

const kinds = { ready: "good", starting: "busy", restarting: "bad", stopping: "busy", stopped: "busy" } as const;

/** All threads. Those of a process that is gone are gone. */
export function threadRowsOf(processes: Status["processes"]): readonly ThreadRow[] {
  return processes.flatMap(({ app, host, pid, state, startedAt, threads }): readonly ThreadRow[] => {
    const process = { app, host, pid, startedAt: Date.parse(startedAt) };
    const keyOf = (thread: string): string => [app, host, pid, startedAt, thread].join(" ");
    const isGone = state === "gone";
    const gone = { kind: "bad", state: "gone: no heartbeat" } as const;
    if (threads.length === 0) {
      const up = { kind: "good", state: "up" } as const;
      return [
        { ...process, key: keyOf("main"), thread: "main", restarts: 0, lastError: null, ...(isGone ? gone : up) },
      ];
    }
    return threads.map(({ index, state: threadState, restarts, lastError }) => ({
      ...process,
      key: keyOf(String(index)),
      thread: String(index),
      restarts,
      lastError,
      ...(isGone ? gone : { kind: kinds[threadState], state: threadState }),
    }));
  });
}
