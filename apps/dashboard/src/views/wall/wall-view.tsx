import type { Status } from "@tally/telemetry";
import { now } from "../../live/live-feed.ts";
import { useWatch, type Live } from "../../live/use-watch.ts";
import { Heading } from "../../parts/panel.tsx";
import { Banner, StatusLine } from "../../shell/status-line.tsx";
import { attentionOf, type Sales } from "../chain/attention.ts";
import { Best, headingOf } from "../chain/chain-view.tsx";
import { comparisonText, figureText, shownOf, titles, todayText } from "../chain/comparison.ts";
import { HoursChart } from "../chain/hours-chart.tsx";

/** The chain today for a display on a wall: all of it at once, large, without anything to click. */
export function WallView({ status }: { readonly status: Live<Status> }) {
  const { body, problem } = useWatch<Sales>("/chain/sales");
  const shown = shownOf(body ?? { quantity: 0 });
  const title = `${titles[shown]} by hour`;
  return (
    <main class="wall">
      <Banner status={status} />
      <Heading text={headingOf(body)} />
      <section class="sum">
        <p class="figure">{figureText(body, shown)}</p>
        {body !== undefined && (
          <p>
            {todayText(shown, body)}: {comparisonText(body, body.weekAgo, shown)}
          </p>
        )}
        {body !== undefined && <Attention sales={body} />}
        {problem !== undefined && <p class="state bad">Not up to date: {problem.message}</p>}
        <StatusLine status={status} />
      </section>
      <div>{body !== undefined && <HoursChart title={title} hours={body.hours} shown={shown} />}</div>
      <div class="panels">
        <Best of="items" shown={shown} limit={5} />
        <Best of="stores" shown={shown} limit={5} />
      </div>
    </main>
  );
}

function Attention({ sales }: { readonly sales: Sales }) {
  const { count, text } = attentionOf(sales, now.value);
  if (count === undefined) return <p class="state busy">Alerts: {text}</p>;
  if (count === 0) return <p>{text}</p>;
  return <p class="state bad">Attention: {text}</p>;
}
