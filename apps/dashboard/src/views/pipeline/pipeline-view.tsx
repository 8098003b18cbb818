import type { Status } from "@tally/telemetry";
import { waitingOf } from "../../live/status-history.ts";
import type { Live } from "../../live/use-watch.ts";
import { Age } from "../../parts/age.tsx";
import { atLeastText, numberText, shortSpanText } from "../../parts/format.ts";
import { Heading } from "../../parts/heading.tsx";
import { LivePanel } from "../../parts/live-panel.tsx";
import { Message } from "../../parts/message.tsx";
import { Tiles } from "../../parts/tiles.tsx";
import { linkTo } from "../../route/route.ts";
import { Curves } from "./curves.tsx";
import { drainText } from "./drain-text.ts";
import { DomainTable, ErrorTable, HopTable, ServerTable, ThreadTable } from "./status-tables.tsx";

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
        <Curves />
        <LivePanel title="Domains" live={status} asOf={({ at }) => at} wide>
          {({ domains }) => <DomainTable domains={domains} />}
        </LivePanel>
        <LivePanel title="Servers" live={status} asOf={({ at }) => at}>
          {({ servers }) => <ServerTable servers={servers} />}
        </LivePanel>
        <LivePanel title="Time of batches from hop to hop" live={status} asOf={({ at }) => at}>
          {({ hops }) => <HopTable hops={hops} />}
        </LivePanel>
        <LivePanel title="Processes and threads" live={status} asOf={({ at }) => at} wide>
          {({ processes }) => <ThreadTable processes={processes} />}
        </LivePanel>
        <LivePanel title="Last warnings and errors" live={status} asOf={({ at }) => at} wide>
          {({ lastErrors }) => <ErrorTable errors={lastErrors} />}
        </LivePanel>
      </div>
    </>
  );
}

function Figures({
  status: { state, domains, secondsToDrain, replicaLagMs, deadLetters, lastErrors },
}: {
  readonly status: Status;
}) {
  const waiting = waitingOf(domains);
  const newest = lastErrors[0];
  const lagsBehind = replicaLagMs === null || replicaLagMs > 10_000;
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
          note:
            replicaLagMs === null
              ? "an endpoint is down"
              : lagsBehind
                ? "reads of rows are old"
                : "of the read endpoint",
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
