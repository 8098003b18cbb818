import { useWatch } from "../../live/use-watch.ts";
import { Heading, Tiles } from "../../parts/panel.tsx";
import type { Sales } from "./attention.ts";
import { Best } from "./chain-view.tsx";
import { shownOf, soldTile } from "./comparison.ts";

/** What the stores of a region sell today. */
export function RegionView({ region }: { readonly region: string }) {
  const sales = useWatch<Sales>("/chain/sales");
  const own = sales.body?.regions.find((one) => one.region === region);
  const shown = shownOf(own ?? sales.body ?? { quantity: 0 });
  return (
    <>
      <Heading text={`Region ${region} today`} />
      <Tiles tiles={[soldTile(shown, own, sales)]} />
      <div class="panels">
        <Best of="items" shown={shown} region={region} />
        <Best of="stores" shown={shown} region={region} />
      </div>
    </>
  );
}
