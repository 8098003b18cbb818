import { useWatch, type BodyOf, type Live } from "../../live/use-watch.ts";
import { Bars } from "../../parts/bars.tsx";
import { Choices } from "../../parts/form.tsx";
import { compactDate, daysText } from "../../parts/format.ts";
import { LivePanel } from "../../parts/panel.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { BoardPanel, NoBoard } from "../boards/board-view.tsx";
import { boardAt, labelOf, valuesOf, type Board, type Boards, type Values } from "../boards/boards.ts";
import { OwnerFinder } from "../owners/owner-finder.tsx";

interface ItemsViewProps {
  readonly views: Live<Boards>;
  readonly itemID: string | undefined;
  /** The chosen days and measure. */
  readonly given: Values;
}

/** Where an item sells best, or which items are registered. */
export function ItemsView({ views, itemID, given }: ItemsViewProps) {
  const { search = "", ...chosen } = given;
  const board = boardAt("/items/{itemID}/top-stores", views.body?.views);
  const values: Values = { ...(board && valuesOf(board, chosen)), itemID: itemID ?? "" };
  return (
    <>
      <OwnerFinder one="Item" many="items" id={itemID} {...{ search, chosen, board, values }}>
        Choose an item to see which stores sell most of it: by number, or by a part of its name.
      </OwnerFinder>
      {itemID === undefined ? null : board === undefined ? (
        <NoBoard views={views} />
      ) : (
        <StoresOfItem {...{ board, values, itemID }} given={chosen} />
      )}
    </>
  );
}

interface StoresOfItemProps {
  readonly board: Board;
  readonly values: Values;
  readonly itemID: string;
  readonly given: Values;
}

function StoresOfItem({ board, values, itemID, given }: StoresOfItemProps) {
  const pick = (changed: Values): void => goTo(["items", itemID], { ...given, ...changed });
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
      <RegionsOfItem itemID={itemID} date={values["date"] ?? ""} by={values["by"] ?? ""} />
    </>
  );
}

type Regions = BodyOf<"/items/{itemID}/top-regions">;

/** What its regions sold on a chosen day. */
function RegionsOfItem({ itemID, date, by }: Readonly<Record<"itemID" | "date" | "by", string>>) {
  const isDay = date !== "all" && !date.includes("..");
  const path = isDay ? `/items/${itemID}/top-regions?date=${compactDate(date)}&by=${by}` : undefined;
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
    <LivePanel title={title} live={live} csv={path} wide>
      {(body) => <Bars title={title} bars={barsOf(body)} empty={`No region has sold it ${daysText(date)}.`} />}
    </LivePanel>
  );
}
