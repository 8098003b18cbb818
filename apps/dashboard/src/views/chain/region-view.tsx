import { useWatch } from "../../live/use-watch.ts";
import { Heading, Tiles } from "../../parts/panel.tsx";
import type { Sales } from "./attention.ts";
import { Best } from "./chain-view.tsx";
import { comparisonText, figureText, shownOf, todayText } from "./comparison.ts";

/** What the stores of a region sell today. */
export function RegionView({ region }: { readonly region: string }) {
  const { body, problem } = useWatch<Sales>("/sales");
  const own = body?.regions.find((one) => one.region === region);
  const shown = shownOf(own ?? body ?? { quantity: 0 });
  return (
    <>
      <Heading text={`Region ${region} today`} />
      <Tiles
        tiles={[
          {
            label: todayText(shown, body),
            value: figureText(own, shown),
            note:
              problem?.message ??
              (own !== undefined
                ? comparisonText(own, own.weekAgo, shown)
                : body === undefined
                  ? "loading"
                  : "nothing sold"),
            isBad: problem !== undefined,
          },
        ]}
      />
      <div class="panels">
        <Best of="items" shown={shown} region={region} />
        <Best of="stores" shown={shown} region={region} />
      </div>
    </>
  );
}
