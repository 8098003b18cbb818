import type { Status } from "@tally/telemetry";
import { now } from "../live/clock.ts";
import { feed } from "../live/live-feed.ts";
import type { Live } from "../live/use-watch.ts";
import { spanText } from "../parts/format.ts";

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
            <strong>✗ No connection to the gateway</strong> for {spanText(now.value - connection.since)}
            {connection.reason === "" ? "" : ` (${connection.reason})`}. The page shows what it knew before. It connects
            again by itself, in {spanText(connection.tryAt - now.value)}.
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
