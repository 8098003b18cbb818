import { useWatch } from "../../live/use-watch.ts";
import { Bars } from "../../parts/bars.tsx";
import { Heading, LivePanel, Message } from "../../parts/panel.tsx";
import { IdForm } from "../../parts/form.tsx";
import { goTo, linkTo } from "../../route/route.ts";

interface TopStores {
  readonly asOf: string | null;
  readonly stores: readonly { readonly storeID: number; readonly quantity: number }[];
}

/** Where an item sells best. */
export function ItemsView({ itemID }: { readonly itemID: string | undefined }) {
  const path = itemID === undefined ? undefined : `/items/${encodeURIComponent(itemID)}/top-stores?limit=10`;
  const live = useWatch<TopStores>(path);
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
                count: quantity,
              }))}
            />
          )}
        </LivePanel>
      )}
    </>
  );
}
