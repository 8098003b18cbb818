import type { Status } from "@tally/telemetry";
import { feed } from "../live/live-feed.ts";
import type { Live } from "../live/use-watch.ts";
import { Age } from "../parts/age.tsx";
import { State } from "../parts/state.tsx";
import { linkTo } from "../route/route.ts";
import { drainText } from "../views/pipeline/drain-text.ts";

/** In every view: whether anything is behind, and how old the data are. */
export function StatusLine({ status: { body } }: { readonly status: Live<Status> }) {
  const { state } = feed.connection.value;
  const heardAt = feed.heardAt.value;
  return (
    <p class="status-line">
      <a href={linkTo(["pipeline"])}>
        {state === "open" ? <SystemState status={body} /> : <State {...connectionStates[state]} />}
      </a>
      {heardAt !== undefined && (
        <span class="muted">
          {" "}
          updated <Age at={heardAt} />
        </span>
      )}
    </p>
  );
}

const connectionStates = {
  connecting: { kind: "busy", text: "Connecting" },
  lost: { kind: "bad", text: "No connection" },
  key: { kind: "bad", text: "API key needed" },
} as const;

function SystemState({ status }: { readonly status: Status | undefined }) {
  switch (status?.state) {
    case undefined:
      return <State kind="busy" text="Status unknown" />;
    case "ok":
      return <State kind="good" text="Nothing is behind" />;
    case "behind":
      return <State kind="busy" text={`Behind: ${drainText(status.secondsToDrain)}`} />;
    case "failing":
      return <State kind="bad" text="Failing" />;
  }
}
