import type { Status } from "@tally/telemetry";
import { feed } from "../live/live-feed.ts";
import type { Live } from "../live/use-watch.ts";
import { Age, State } from "../parts/panel.tsx";
import { linkTo } from "../route/route.ts";
import { drainText, timeText } from "../parts/format.ts";
import { useState } from "preact/hooks";
import { setApiKey } from "../http/call.ts";

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

/** What is wrong, above every view: no connection, or what the system reports of itself. */
export function Banner({ status }: { readonly status: Live<Status> }) {
  const connection = feed.connection.value;
  const problems = status.body?.problems ?? [];
  const isLost = connection.state === "lost";
  return (
    // Always there, so that a screen reader reads what is put in.
    <div role="status">
      {isLost && (
        <div class="banner bad">
          <p>
            <strong>✗ No connection to the gateway</strong> since {timeText(connection.since)}
            {connection.reason === "" ? "" : ` (${connection.reason})`}. The page shows what it knew before. It connects
            again by itself.
          </p>
          <button type="button" onClick={() => feed.retry()}>
            Try now
          </button>
        </div>
      )}
      {!isLost && problems.length > 0 && (
        <div class={status.body?.state === "failing" ? "banner bad" : "banner warn"}>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Asks for an API key when the gateway requires one. */
export function KeyForm({ reason }: { readonly reason: string }) {
  const [key, setKey] = useState("");
  return (
    <form
      class="panel key"
      onSubmit={(event) => {
        event.preventDefault();
        setApiKey(key.trim());
        feed.retry();
      }}
    >
      <h2>This gateway needs an API key</h2>
      <p>
        <label>
          API key{" "}
          <input
            type="password"
            autoComplete="off"
            required
            // Others cannot be in a header.
            pattern={String.raw`\s*[!-~]+\s*`}
            title="letters, digits and signs of ASCII"
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </label>{" "}
        <button type="submit">Continue</button>
      </p>
      {reason !== "" && (
        <p class="message problem" role="alert">
          {reason}
        </p>
      )}
      <p class="hint">
        An operator creates one: <code>pnpm tally keys create --name page --scope '*:read'</code>. It stays in this tab
        and is gone when you close it.
      </p>
    </form>
  );
}
