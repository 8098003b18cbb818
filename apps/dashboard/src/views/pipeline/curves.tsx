import { history } from "../../live/status-history.ts";
import { Chart } from "../../parts/chart.tsx";
import { Panel } from "../../parts/panel.tsx";

/** The last minutes, as far as the page was open. */
export function Curves() {
  const moments = history.value;
  if (moments.length === 0) return null;
  const times = moments.map(({ second }) => second);
  const inSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);
  return (
    <Panel title="The last minutes" wide>
      <div class="charts">
        <Chart
          title="Events"
          unit="a second, mean of 10 s"
          times={times}
          isClockTime
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
          isClockTime
          lines={[{ label: "waiting", meaning: "waiting", values: moments.map(({ waiting }) => waiting) }]}
        />
        <Chart
          title="Behind"
          unit="seconds"
          times={times}
          isClockTime
          lines={[
            { label: "to drain", meaning: "to-drain", values: moments.map(({ secondsToDrain }) => secondsToDrain) },
            {
              label: "replica lag",
              meaning: "replica-lag",
              values: moments.map(({ replicaLagMs }) => inSeconds(replicaLagMs)),
            },
          ]}
        />
      </div>
    </Panel>
  );
}
