import { Heading, Age, Tiles, Message, LivePanel } from "../../parts/panel.tsx";
import { IdForm } from "../../parts/form.tsx";
import { today, dateText, compactDate, numberText, timeText } from "../../parts/format.ts";
import { goTo, linkTo } from "../../route/route.ts";
import { Table, type Column } from "../../parts/table.tsx";
import type { ComponentChildren } from "preact";
import { useWatch, type BodyOf, type Live } from "../../live/use-watch.ts";
import { Bars } from "../../parts/bars.tsx";

interface StoresViewProps {
  readonly storeID: string | undefined;
  /** As "2026-11-20"; undefined: today. */
  readonly date: string | undefined;
}

/** What sells in a store, and when its last purchase arrived. */
export function StoresView({ storeID, date }: StoresViewProps) {
  return (
    <>
      <Heading text={storeID === undefined ? "Stores" : `Store ${storeID}`} />
      <IdForm label="Store" value={storeID} onPick={(id) => goTo(["stores", id], { date })} />
      {storeID === undefined ? (
        <Message kind="empty">
          Choose a store to see what sells there, such as <a href={linkTo(["stores", 1])}>store 1</a>.
        </Message>
      ) : (
        <StoreBoards key={storeID} storeID={storeID} date={date ?? today()} />
      )}
    </>
  );
}

/** The newest arrival first. */
type Latest = BodyOf<"/purchases/latest">;
type TopItems = BodyOf<"/stores/{storeID}/top-items">;

// Without a time: its batch is folded.
const arrivalOf = (at: string | undefined, withTime = false) =>
  at === undefined ? "–" : <Age at={Date.parse(at)} withTime={withTime} />;

const arrivalNote = (at: string | undefined): string => (at === undefined ? "long ago" : timeText(Date.parse(at)));

const columns: readonly Column<Latest["purchases"][number]>[] = [
  { title: "Arrived", cell: ({ arrivedAt }) => arrivalOf(arrivedAt, true) },
  { title: "Customer", cell: ({ custID }) => custID, isNumber: true },
  { title: "Date of sale", cell: ({ date }) => dateText(date) },
  {
    title: "Items",
    cell: ({ items }) => items.map(({ ItemID, numberOfItems }) => `${numberOfItems} × ${ItemID}`).join(", "),
  },
  {
    title: "Taken back",
    cell: ({ voided, refundedItems }) =>
      voided ? "void" : refundedItems === undefined ? "" : `${refundedItems} items`,
  },
];

function LatestPurchases({ purchases, isComplete }: Latest) {
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
    </>
  );
}

const itemLink = (itemID: number): ComponentChildren => <a href={linkTo(["items", itemID])}>{itemID}</a>;

function StoreBoards({ storeID, date }: { readonly storeID: string; readonly date: string }) {
  const base = `/stores/${encodeURIComponent(storeID)}/top-items?limit=10`;
  const ofDay = useWatch<TopItems>(`${base}&date=${compactDate(date)}`);
  const ofAllDays = useWatch<TopItems>(base);
  const latest = useWatch<Latest>(`/purchases/latest?storeID=${encodeURIComponent(storeID)}&limit=10`);
  const day = date === today() ? "today" : `on ${date}`;
  const best = ofDay.body?.items[0];
  const last = latest.body?.purchases[0];
  return (
    <>
      <Tiles
        tiles={[
          {
            label: `Best seller ${day}`,
            value: best === undefined ? "–" : <>Item {itemLink(best.itemID)}</>,
            note: best === undefined ? noteOf(ofDay, `nothing sold ${day}`) : `${numberText(best.quantity)} sold`,
          },
          {
            label: "Last purchase arrived",
            value: arrivalOf(last?.arrivedAt),
            note: last === undefined ? noteOf(latest, "no purchase yet") : arrivalNote(last.arrivedAt),
          },
        ]}
      />
      <div class="panels">
        <LivePanel title={`Best sellers ${day}`} live={ofDay} asOf={({ asOf }) => asOf}>
          {(body) => (
            <>
              <p class="choice">
                <label>
                  Day{" "}
                  <input
                    type="date"
                    required
                    value={date}
                    onChange={({ currentTarget: { value } }) => {
                      if (value !== "") goTo(["stores", storeID], { date: value === today() ? undefined : value });
                    }}
                  />
                </label>
              </p>
              <Bars
                title={`Best sellers ${day}`}
                bars={barsOf(body)}
                empty={`Store ${storeID} has sold nothing ${day}.`}
              />
            </>
          )}
        </LivePanel>
        <LivePanel title="Best sellers of all days" live={ofAllDays} asOf={({ asOf }) => asOf}>
          {(body) => (
            <Bars
              title="Best sellers of all days"
              bars={barsOf(body)}
              empty={`No sale of store ${storeID} is counted yet.`}
            />
          )}
        </LivePanel>
        <LivePanel title="Latest purchases" live={latest} wide>
          {(body) => <LatestPurchases {...body} />}
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

const barsOf = ({ items }: TopItems) =>
  items.map(({ itemID, quantity }) => ({ key: String(itemID), label: itemLink(itemID), count: quantity ?? 0 }));
