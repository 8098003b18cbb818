import { useWatch, type BodyOf, type Live } from "../../live/use-watch.ts";
import { Download } from "../../parts/download.tsx";
import { Choices } from "../../parts/form.tsx";
import { countText, dateText, daysText, timeText, wordsOf } from "../../parts/format.ts";
import { Age, Tiles, LivePanel } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { BoardPanel } from "../boards/board-view.tsx";
import { entriesOf, labelOf, pathOf } from "../boards/boards.ts";
import { OwnerView, type Owner, type OwnersProps } from "../owners/owner-view.tsx";

/** What sells in a store and when its last purchase arrived, or which stores are registered. */
export function StoresView(props: OwnersProps) {
  const hint = (
    <>
      Choose a store to see what sells there, such as <a href={linkTo(["stores", 1])}>store 1</a>: by number, or by a
      part of its name.
    </>
  );
  return (
    <OwnerView {...props} many="stores" usual={{ date: "today" }} hint={hint}>
      {(store) => <StoreBoards key={store.id} {...store} />}
    </OwnerView>
  );
}

/** The newest arrival first. */
type Latest = BodyOf<"/purchases/latest">;

// Without a time: its batch is folded.
const arrivalOf = (at: string | undefined, withTime = false) =>
  at === undefined ? "–" : <Age at={Date.parse(at)} withTime={withTime} />;

const arrivalNote = (at: string | undefined): string => (at === undefined ? "long ago" : timeText(Date.parse(at)));

const itemsText = ({ items }: Pick<Latest["purchases" | "refunds"][number], "items">): string =>
  items.map(({ ItemID, name, numberOfItems }) => `${numberOfItems} × ${labelOf(ItemID, name)}`).join(", ");

const columns: readonly Column<Latest["purchases"][number]>[] = [
  { title: "Arrived", cell: ({ arrivedAt }) => arrivalOf(arrivedAt, true) },
  { title: "Customer", cell: ({ custID }) => custID, isNumber: true },
  { title: "Date of sale", cell: ({ date }) => dateText(date) },
  { title: "Items", cell: itemsText },
  {
    title: "Taken back",
    cell: ({ voided, refundedItems }) =>
      voided ? "void" : refundedItems === undefined ? "" : `${refundedItems} ${refundedItems === 1 ? "item" : "items"}`,
  },
];

const refundColumns: readonly Column<Latest["refunds"][number]>[] = [
  { title: "Arrived", cell: ({ arrivedAt }) => arrivalOf(arrivedAt, true) },
  { title: "Date of refund", cell: ({ date }) => dateText(date) },
  { title: "Items", cell: itemsText },
  { title: "Purchase", cell: ({ saleEventID }) => saleEventID },
];

function LatestPurchases({ purchases, refunds, isComplete, path }: Latest & { readonly path: string }) {
  return (
    <>
      {!isComplete && purchases.length > 0 && (
        <p>Found among 5,000 purchases with the newest dates. This store has more, so a later one may be missing.</p>
      )}
      <Table
        title="Latest purchases"
        rows={purchases}
        keyOf={({ eventID }) => eventID}
        columns={columns}
        empty="No purchase has arrived yet."
      />
      {refunds.length > 0 && (
        <>
          <header>
            <h3>Refunds made here</h3>
            <p class="aside">
              <Download path={`${path}&list=refunds`} of="Refunds made here" />
            </p>
          </header>
          <Table title="Refunds made here" rows={refunds} keyOf={({ eventID }) => eventID} columns={refundColumns} />
        </>
      )}
    </>
  );
}

function StoreBoards({ board, values, id: storeID, given }: Owner) {
  const { date = "", by = "" } = values;
  const chosen = useWatch<unknown>(pathOf(board, values));
  const latestPath = `/purchases/latest?storeID=${encodeURIComponent(storeID)}&limit=10`;
  const latest = useWatch<Latest>(latestPath);
  const best = entriesOf(board, values, chosen.body).find(({ count }) => Number(count) > 0);
  const itemLink = (itemID: string, name: string) => (
    <a href={linkTo(["items", itemID], given)}>{labelOf(itemID, name)}</a>
  );
  const last = latest.body?.purchases[0];
  const chosenOf = (days: string): string =>
    `${days === "all" ? "of all days" : daysText(days)}${by === "quantity" ? "" : ` by ${wordsOf(by)}`}`;
  return (
    <>
      <Choices
        params={board.params}
        values={values}
        onPick={(changed, isTyped) => goTo(["stores", storeID], { ...given, ...changed }, isTyped)}
      />
      <Tiles
        tiles={[
          {
            label: `Best seller ${chosenOf(date)}`,
            value: best === undefined ? "–" : <>Item {itemLink(best.member, best.name)}</>,
            note:
              best === undefined
                ? noteOf(chosen, `nothing sold ${daysText(date)}`)
                : `${countText(best.count)} ${by === "quantity" ? "sold" : wordsOf(by)}`,
          },
          {
            label: "Last purchase arrived",
            value: arrivalOf(last?.arrivedAt),
            note: last === undefined ? noteOf(latest, "no purchase yet") : arrivalNote(last.arrivedAt),
          },
        ]}
      />
      <div class="panels">
        {[...new Set([date, "all"])].map((days) => (
          <BoardPanel
            key={days}
            board={board}
            values={{ ...values, date: days }}
            title={`Best sellers ${chosenOf(days)}`}
            linkOf={itemLink}
            wide={date === "all"}
            empty={`Store ${storeID} has sold nothing ${daysText(days)}.`}
          />
        ))}
        <LivePanel title="Latest purchases" live={latest} wide csv={latestPath}>
          {(body) => <LatestPurchases {...body} path={latestPath} />}
        </LivePanel>
      </div>
    </>
  );
}

/** Below a tile without a value. The panel with the same data has the problem's text. */
function noteOf({ body, problem }: Live<unknown>, empty: string): string {
  if (body !== undefined) return empty;
  return problem === undefined ? "loading" : "unknown";
}
