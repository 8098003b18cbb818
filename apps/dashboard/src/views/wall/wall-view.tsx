import type { Status } from "@tally/telemetry";
import { useWatch, type Live } from "../../live/use-watch.ts";
import { Banner, StatusLine } from "../../shell/status-line.tsx";
import { BestItems, BestStores, type Sales } from "../chain/chain-view.tsx";
import { comparisonText, figureText, shownOf, titles } from "../chain/comparison.ts";
import { labelOf } from "../boards/boards.ts";
import { HoursChart } from "../chain/hours-chart.tsx";
import { Heading } from "../../parts/panel.tsx";

/** The chain today for a display on a wall: all of it at once, large, without anything to click. */
export function WallView({ status }: { readonly status: Live<Status> }) {
  const { body, problem } = useWatch<Sales>("/sales");
  const sold = body ?? { quantity: 0 };
  const shown = shownOf(sold);
  const attention = [...(body?.silent ?? []), ...(body?.doubtful ?? [])];
  return (
    <main class="wall">
      <Banner status={status} />
      <Heading text="The chain today" />
      <section class="sum">
        <p class="figure">{body === undefined ? "–" : figureText(body, shown)}</p>
        <p>
          {titles[shown].toLowerCase()},{" "}
          {body === undefined ? (problem?.message ?? "loading") : comparisonText(body, body.weekAgo, shown)}
        </p>
        <p class={attention.length === 0 ? "" : "state bad"}>
          {attention.length === 0
            ? "No store is silent"
            : `Attention: ${attention
                .slice(0, 3)
                .map(({ storeID, name }) => `store ${labelOf(storeID, name)}`)
                .join(", ")}${attention.length > 3 ? `, and ${attention.length - 3} more` : ""}`}
        </p>
        <StatusLine status={status} />
      </section>
      <HoursChart title={`${titles[shown]} by hour`} hours={body?.hours ?? []} shown={shown} />
      <div class="panels">
        <BestItems shown={shown} limit={5} />
        <BestStores shown={shown} limit={5} />
      </div>
    </main>
  );
}
