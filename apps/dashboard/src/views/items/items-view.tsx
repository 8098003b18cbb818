import type { Live } from "../../live/use-watch.ts";
import { Choices, IdForm } from "../../parts/form.tsx";
import { daysText } from "../../parts/format.ts";
import { Heading, Message } from "../../parts/panel.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { BoardPanel, NoBoard } from "../boards/board-view.tsx";
import { boardAt, valuesOf, type Boards, type Values } from "../boards/boards.ts";

interface ItemsViewProps {
  readonly views: Live<Boards>;
  readonly itemID: string | undefined;
  /** The chosen days and measure. */
  readonly given: Values;
}

/** Where an item sells best. */
export function ItemsView({ views, itemID, given }: ItemsViewProps) {
  return (
    <>
      <Heading text={itemID === undefined ? "Items" : `Item ${itemID}`} />
      <IdForm label="Item" value={itemID} onPick={(id) => goTo(["items", id], given)} />
      {itemID === undefined ? (
        <Message kind="empty">Choose an item to see which stores sell most of it.</Message>
      ) : (
        <StoresOfItem views={views} itemID={itemID} given={given} />
      )}
    </>
  );
}

function StoresOfItem({ views, itemID, given }: ItemsViewProps & { readonly itemID: string }) {
  const board = boardAt("/items/{itemID}/top-stores", views.body?.views);
  if (board === undefined) return <NoBoard views={views} />;
  const values: Values = { ...valuesOf(board, given), itemID };
  const pick = (changed: Values): void => goTo(["items", itemID], { ...given, ...changed });
  return (
    <>
      <Choices params={board.params} values={values} onPick={pick} />
      <BoardPanel
        board={board}
        values={values}
        title={`Stores that sold most of item ${itemID}`}
        labelOf={(storeID) => <a href={linkTo(["stores", storeID], given)}>Store {storeID}</a>}
        empty={`No store has sold item ${itemID} ${daysText(values["date"] ?? "")}.`}
      />
    </>
  );
}
