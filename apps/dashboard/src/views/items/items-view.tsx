import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { Bars } from "../../parts/bars.tsx";
import { Heading, LivePanel, Message } from "../../parts/panel.tsx";
import { IdForm } from "../../parts/form.tsx";
import { goTo, linkTo } from "../../route/route.ts";

/** Where an item sells best. */
export function ItemsView({ itemID }: { readonly itemID: string | undefined }) {
  const path = itemID === undefined ? undefined : `/items/${encodeURIComponent(itemID)}/top-stores?limit=10`;
  const live = useWatch<BodyOf<"/items/{itemID}/top-stores">>(path);
  return (
    <>
      <Heading text={itemID === undefined ? "Items" : `Item ${itemID}`} />
      <IdForm label="Item" value={itemID} onPick={(id) => goTo(["items", id])} />
      {itemID === undefined ? (
        <Message kind="empty">Choose an item to see which stores sell most of it.</Message>
      ) : (
        <LivePanel title="Stores that sold most of it" live={live} asOf={({ asOf }) => asOf}>
          {({ stores }) => (
            <Bars
              title={`Stores that sold most of item ${itemID}`}
              empty={`No store has sold item ${itemID} yet.`}
              bars={stores.map(({ storeID, quantity }) => ({
                key: String(storeID),
                label: <a href={linkTo(["stores", storeID])}>Store {storeID}</a>,
                count: quantity ?? 0,
              }))}
            />
          )}
        </LivePanel>
      )}
    </>
  );
}
