import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { Bars } from "../../parts/bars.tsx";
import { Choices } from "../../parts/form.tsx";
import { daysText } from "../../parts/format.ts";
import { LivePanel } from "../../parts/panel.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { BoardPanel } from "../boards/board-view.tsx";
import { labelOf, pathOf, type Board, type Values } from "../boards/boards.ts";
import { OwnerView, type Owner, type OwnersProps } from "../owners/owner-view.tsx";

const hint = "Choose an item to see which stores sell most of it: by number, or by a part of its name.";

/** Where an item sells best, or which items are registered. */
export function ItemsView(props: OwnersProps) {
  return (
    <OwnerView {...props} many="items" hint={hint}>
      {(item) => <StoresOfItem {...item} />}
    </OwnerView>
  );
}

function StoresOfItem({ board, values, id: itemID, given }: Owner) {
  const pick = (changed: Values, isTyped?: boolean): void => goTo(["items", itemID], { ...given, ...changed }, isTyped);
  return (
    <>
      <Choices params={board.params} values={values} onPick={pick} />
      <BoardPanel
        board={board}
        values={values}
        title={`Stores that sold most of item ${itemID}`}
        linkOf={(storeID, name) => <a href={linkTo(["stores", storeID], given)}>Store {labelOf(storeID, name)}</a>}
        empty={`No store has sold item ${itemID} ${daysText(values["date"] ?? "")}.`}
      />
      <RegionsOfItem board={board} values={values} />
    </>
  );
}

type Regions = BodyOf<"/items/{itemID}/top-regions">;

/** What its regions sold. */
function RegionsOfItem({ board, values }: { readonly board: Board; readonly values: Values }) {
  const { itemID = "", date = "" } = values;
  const path = pathOf({ ...board, path: "/items/{itemID}/top-regions?limit=100&date={date}&by={by}" }, values);
  const live = useWatch<Regions>(path);
  const title = `Regions that sold most of item ${itemID}`;
  const barsOf = ({ regions }: Regions) =>
    regions.map(({ region, quantity, grossSales, netSales }) => ({
      key: region,
      label: <a href={linkTo(["regions", region])}>{region}</a>,
      count: quantity ?? grossSales ?? netSales ?? 0,
    }));
  if (path === undefined) return null;
  return (
    <LivePanel title={title} live={live} asOf={({ asOf }) => asOf} csv={path} wide>
      {(body) => <Bars title={title} bars={barsOf(body)} empty={`No region has sold it ${daysText(date)}.`} />}
    </LivePanel>
  );
}
