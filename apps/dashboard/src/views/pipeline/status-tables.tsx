import type { Status } from "@tally/telemetry";
import { Age, State } from "../../parts/panel.tsx";
import { drainText, numberText, shortSpanText, timeText } from "../../parts/format.ts";
import type { Column } from "../../parts/table.tsx";

type Domain = Status["domains"][number];
type Server = Status["servers"][number];
type Hop = Status["hops"][number];
type LoggedError = Status["lastErrors"][number];

export const domainColumns: readonly Column<Domain>[] = [
  { title: "Domain", cell: ({ name }) => name },
  { title: "Accepted /s", cell: ({ accepted }) => numberText(accepted.perSecond), isNumber: true },
  { title: "Stored /s", cell: ({ stored }) => numberText(stored.perSecond), isNumber: true },
  { title: "Ranked /s", cell: ({ ranked }) => numberText(ranked.perSecond), isNumber: true },
  { title: "Wait to be stored", cell: ({ queues }) => numberText(queues.ingest.events), isNumber: true },
  { title: "Wait to be ranked", cell: ({ queues }) => numberText(queues.rank.events), isNumber: true },
  { title: "To drain", cell: ({ secondsToDrain }) => drainText(secondsToDrain) },
  {
    title: "Last stored",
    cell: ({ lastStoredAt }) => (lastStoredAt === null ? "–" : <Age at={Date.parse(lastStoredAt)} />),
  },
];

const serverNames = {
  broker: "Message broker",
  databaseWrite: "Database, write endpoint",
  databaseRead: "Database, read endpoint",
  redis: "Redis",
} as const;

const serverStates = {
  up: { kind: "good", text: "up" },
  blocked: { kind: "bad", text: "blocked: accepts no messages" },
  down: { kind: "bad", text: "down" },
} as const;

export const serverColumns: readonly Column<Server>[] = [
  { title: "Server", cell: ({ name, node }) => `${serverNames[name]}${node === undefined ? "" : ` ${node}`}` },
  { title: "State", cell: ({ state }) => <State {...serverStates[state]} /> },
  { title: "Round trip", cell: ({ latencyMs }) => shortSpanText(latencyMs), isNumber: true },
];

export const hopColumns: readonly Column<Hop>[] = [
  { title: "Hop", cell: ({ name }) => name.replace("-", " → ") },
  { title: "Batches", cell: ({ batches }) => numberText(batches), isNumber: true },
  { title: "p50", cell: ({ p50Ms }) => shortSpanText(p50Ms), isNumber: true },
  { title: "p99", cell: ({ p99Ms }) => shortSpanText(p99Ms), isNumber: true },
];

export const threadColumns: readonly Column<ThreadRow>[] = [
  { title: "App", cell: ({ app }) => app },
  { title: "Host", cell: ({ host }) => host },
  { title: "Process", cell: ({ pid }) => pid, isNumber: true },
  { title: "Thread", cell: ({ thread }) => thread },
  { title: "State", cell: ({ kind, state }) => <State kind={kind} text={state} /> },
  { title: "Restarts", cell: ({ restarts }) => restarts, isNumber: true },
  { title: "Started", cell: ({ startedAt }) => timeText(startedAt) },
  { title: "Last error", cell: ({ lastError }) => lastError ?? "none" },
];

export const errorColumns: readonly Column<LoggedError>[] = [
  { title: "Time", cell: ({ at }) => <Age at={Date.parse(at)} withTime /> },
  { title: "App", cell: ({ app, pid, thread }) => `${app} ${pid}${thread === null ? "" : `, thread ${thread}`}` },
  { title: "Level", cell: ({ level }) => level },
  { title: "Message", cell: ({ message, times }) => (times === 1 ? message : `${message} ×${times}`) },
];

interface ThreadRow {
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
