import type { Status } from "@tally/telemetry";
import { waitingOf, type Live, history } from "../../live/use-watch.ts";
import { Age, Heading, Tiles, Message, Panel } from "../../parts/panel.tsx";
import { drainText, atLeastText, numberText, shortSpanText } from "../../parts/format.ts";
import { linkTo } from "../../route/route.ts";
import {
  domainColumns,
  errorColumns,
  hopColumns,
  serverColumns,
  threadColumns,
  threadRowsOf,
} from "./status-tables.tsx";
import { TablePanel } from "../../parts/table.tsx";
import { Chart } from "../../parts/chart.tsx";

/** Whether the pipeline is healthy, how far it is behind, and why. */
export function PipelineView({ status }: { readonly status: Live<Status> }) {
  const { body, problem } = status;
  const live = { live: status, asOf: ({ at }: Status) => at };
  return (
    <>
      <Heading text="Pipeline" />
      {body === undefined ? (
        <Message kind={problem === undefined ? "waiting" : "problem"}>{problem?.message ?? "Loading…"}</Message>
      ) : (
        <Figures status={body} />
      )}
      <div class="panels">
        <Curves />
        <TablePanel
          title="Domains"
          {...live}
          rowsOf={({ domains }) => domains}
          keyOf={({ name }) => name}
          columns={domainColumns}
          wide
        />
        <TablePanel
          title="Servers"
          {...live}
          rowsOf={({ servers }) => servers}
          keyOf={({ name, node = "" }) => name + node}
          columns={serverColumns}
          isNarrow
        />
        <TablePanel
          title="Time of batches from hop to hop"
          {...live}
          rowsOf={({ hops }) => hops}
          keyOf={({ name }) => name}
          columns={hopColumns}
          empty="No batch has passed in the last 10 s."
          isNarrow
        />
        <TablePanel
          title="Processes and threads"
          {...live}
          rowsOf={({ processes }) => threadRowsOf(processes)}
          keyOf={({ key }) => key}
          columns={threadColumns}
          empty="No process reports its state. They report through Redis."
          wide
        />
        <TablePanel
          title="Last warnings and errors"
          {...live}
          rowsOf={({ lastErrors }) => lastErrors}
          keyOf={({ at, pid, message }, index) => `${at} ${pid} ${message} ${index}`}
          columns={errorColumns}
          empty="No warning and no error since the processes started."
          wide
        />
      </div>
    </>
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

function Curves() {
  const moments = history.value;
  if (moments.length === 0) return null;
  const times = moments.map(({ second }) => second);
  const lagSeconds = moments.map(({ replicaLagMs }) => (replicaLagMs === null ? null : replicaLagMs / 1000));
  return (
    <Panel title="The last minutes" wide>
      <div class="charts">
        <Chart
          title="Events"
          unit="a second, mean of 10 s"
          times={times}
          lines={[
            { label: "accepted", meaning: "accepted", values: moments.map(({ accepted }) => accepted) },
            { label: "stored", meaning: "stored", values: moments.map(({ stored }) => stored) },
            { label: "ranked", meaning: "ranked", values: moments.map(({ ranked }) => ranked) },
          ]}
        />
        <Chart
          title="Queues"
          unit="events"
          times={times}
          lines={[{ label: "waiting", meaning: "waiting", values: moments.map(({ waiting }) => waiting) }]}
        />
        <Chart
          title="Behind"
          unit="seconds"
          times={times}
          lines={[
            { label: "to drain", meaning: "to-drain", values: moments.map(({ secondsToDrain }) => secondsToDrain) },
            { label: "replica lag", meaning: "replica-lag", values: lagSeconds },
          ]}
        />
      </div>
    </Panel>
  );
}
