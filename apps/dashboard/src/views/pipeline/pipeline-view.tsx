import type { Status } from "@tally/telemetry";
import type { Live } from "../../live/use-watch.ts";
import { Age, Heading, LivePanel, Tiles, Message, State } from "../../parts/panel.tsx";
import { drainText, atLeastText, numberText, shortSpanText, timeText } from "../../parts/format.ts";
import { linkTo } from "../../route/route.ts";
import { Table, type Column, type TableProps } from "../../parts/table.tsx";

/** Whether the pipeline is healthy, how far it is behind, and why. */
export function PipelineView({ status }: { readonly status: Live<Status> }) {
  const { body, problem } = status;
  return (
    <>
      <Heading text="Pipeline" />
      {body === undefined ? (
        <Message kind={problem === undefined ? "waiting" : "problem"}>{problem?.message ?? "Loading…"}</Message>
      ) : (
        <Figures status={body} />
      )}
      <div class="panels">
        <TablePanel title="Domains" status={status} list="domains" keyOf={({ name }) => name} columns={domainColumns} />
        <TablePanel
          title="Servers"
          status={status}
          list="servers"
          keyOf={({ name, node = "" }) => name + node}
          columns={serverColumns}
          isNarrow
        />
        <TablePanel
          title="Time of batches from hop to hop"
          status={status}
          list="hops"
          keyOf={({ name }) => name}
          columns={hopColumns}
          empty="No batch has passed in the last 10 s."
          isNarrow
        />
        <TablePanel
          title="Processes"
          status={status}
          list="processes"
          keyOf={({ app, host, pid, startedAt }) => [app, host, pid, startedAt].join(" ")}
          columns={processColumns}
          empty="No process reports its state. They report through Redis."
        />
        <TablePanel
          title="Last warnings and errors"
          status={status}
          list="lastErrors"
          keyOf={({ at, pid, message }, index) => `${at} ${pid} ${message} ${index}`}
          columns={errorColumns}
          empty="No warning and no error since the processes started."
        />
      </div>
    </>
  );
}

interface TablePanelProps<L extends string, T> extends Omit<TableProps<T>, "rows"> {
  readonly status: Live<Pick<Status, "at"> & Readonly<Record<L, readonly T[]>>>;
  readonly list: L;
}

/** A list of the status. */
function TablePanel<L extends string, T>({ status, list, ...table }: TablePanelProps<L, T>) {
  return (
    <LivePanel
      title={table.title}
      live={status}
      asOf={({ at }) => at}
      wide={!table.isNarrow}
      csv={`/status?list=${list}`}
    >
      {({ [list]: rows }) => <Table {...table} rows={rows} />}
    </LivePanel>
  );
}

function Figures({ status }: { readonly status: Status }) {
  const { state, domains, secondsToDrain, replicaLagMs, deadLetters, lastErrors } = status;
  const waiting = waitingOf(domains);
  const newest = lastErrors[0];
  const lagsBehind = replicaLagMs === null || replicaLagMs > 10_000;
  const lagNote = lagsBehind ? "reads of rows are old" : "of the read endpoint";
  return (
    <Tiles
      tiles={[
        {
          label: "Behind",
          value: waiting === 0 ? "nothing waits" : drainText(secondsToDrain),
          note: waiting === null ? "the queues are unknown" : `${numberText(waiting)} events wait`,
          isBad: state !== "ok" && (secondsToDrain ?? Infinity) > 10,
        },
        {
          label: "Replica lag",
          value: shortSpanText(replicaLagMs),
          note: replicaLagMs === null ? "an endpoint is down" : lagNote,
          isBad: lagsBehind,
        },
        {
          label: "Dead letters",
          value:
            deadLetters === null ? "–" : <a href={linkTo(["dead-letters"])}>{atLeastText(deadLetters.open)} open</a>,
          note:
            deadLetters === null
              ? "the database is down"
              : `${atLeastText(deadLetters.replayed)} replayed, ${atLeastText(deadLetters.discarded)} discarded`,
          isBad: deadLetters !== null && deadLetters.open > 0,
        },
        {
          label: "Last warning or error",
          value: newest === undefined ? "none" : <Age at={Date.parse(newest.at)} />,
          note: newest === undefined ? "since the processes started" : newest.app,
        },
      ]}
    />
  );
}

/** Events in the queues of these domains and in threads; null: unknown for one of them. */
function waitingOf(domains: Status["domains"]): number | null {
  const queues = domains.flatMap(({ queues: { ingest, rank } }) => [ingest.events, rank.events]);
  return queues.reduce((sum, events) => (sum === null || events === null ? null : sum + events), 0);
}

type Process = Status["processes"][number];

const domainColumns: readonly Column<Status["domains"][number]>[] = [
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

const serverColumns: readonly Column<Status["servers"][number]>[] = [
  { title: "Server", cell: ({ name, node }) => `${serverNames[name]}${node === undefined ? "" : ` ${node}`}` },
  { title: "State", cell: ({ state }) => <State {...serverStates[state]} /> },
  { title: "Round trip", cell: ({ latencyMs }) => shortSpanText(latencyMs), isNumber: true },
];

const hopColumns: readonly Column<Status["hops"][number]>[] = [
  { title: "Hop", cell: ({ name }) => name.replace("-", " → ") },
  { title: "Batches", cell: ({ batches }) => numberText(batches), isNumber: true },
  { title: "p50", cell: ({ p50Ms }) => shortSpanText(p50Ms), isNumber: true },
  { title: "p99", cell: ({ p99Ms }) => shortSpanText(p99Ms), isNumber: true },
];

const processColumns: readonly Column<Process>[] = [
  { title: "App", cell: ({ app }) => app },
  { title: "Host", cell: ({ host }) => host },
  { title: "Process", cell: ({ pid }) => pid, isNumber: true },
  { title: "State", cell: (process) => <State {...stateOf(process)} /> },
  {
    title: "Restarts of threads",
    cell: ({ threads }) => threads.reduce((sum, one) => sum + one.restarts, 0),
    isNumber: true,
  },
  { title: "Started", cell: ({ startedAt }) => timeText(Date.parse(startedAt)) },
  {
    title: "Last error",
    cell: ({ threads }) => threads.find(({ lastError }) => lastError !== null)?.lastError ?? "none",
  },
];

const errorColumns: readonly Column<Status["lastErrors"][number]>[] = [
  { title: "Time", cell: ({ at }) => <Age at={Date.parse(at)} withTime /> },
  { title: "App", cell: ({ app, pid, thread }) => `${app} ${pid}${thread === null ? "" : `, thread ${thread}`}` },
  { title: "Level", cell: ({ level }) => level },
  { title: "Message", cell: ({ message, times }) => (times === 1 ? message : `${message} ×${times}`) },
];

/** A process is as good as the worst of its threads. */
function stateOf({ state, threads }: Process): { readonly kind: "good" | "bad" | "busy"; readonly text: string } {
  if (state === "gone") return { kind: "bad", text: "gone: no heartbeat" };
  const others = threads.flatMap((one) => (one.state === "ready" ? [] : [one.state]));
  if (others.length === 0) return { kind: "good", text: "up" };
  const text = `${threads.length - others.length} of ${threads.length} threads ready`;
  return { kind: others.includes("restarting") ? "bad" : "busy", text };
}
