import type { ComponentChildren } from "preact";
import { useWatch, type Live } from "../../live/use-watch.ts";
import { Age } from "../../parts/age.tsx";
import { Bars } from "../../parts/bars.tsx";
import { compactDate, numberText, timeText, today } from "../../parts/format.ts";
import { LivePanel } from "../../parts/live-panel.tsx";
import { Message } from "../../parts/message.tsx";
import { Tiles } from "../../parts/tiles.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { LatestPurchases, type Latest } from "./latest-purchases.tsx";

interface TopItems {
  readonly asOf: string | null;
  readonly items: readonly { readonly itemID: number; readonly quantity: number }[];
}

interface StoreBoardsProps {
  readonly storeID: string;
  readonly date: string;
}

const itemLink = (itemID: number): ComponentChildren => <a href={linkTo(["items", itemID])}>{itemID}</a>;

/** The boards of one store. */
export function StoreBoards({ storeID, date }: StoreBoardsProps) {
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
            value: last === undefined ? "–" : <Age at={Date.parse(last.arrivedAt)} />,
            note: last === undefined ? noteOf(latest, "no purchase yet") : timeText(Date.parse(last.arrivedAt)),
          },
        ]}
      />
      <div class="panels">
        <LivePanel title={`Best sellers ${day}`} live={ofDay} asOf={({ asOf }) => asOf}>
          {({ items }) => (
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
              <TopList
                title={`Best sellers ${day}`}
                items={items}
                empty={`Store ${storeID} has sold nothing ${day}.`}
              />
            </>
          )}
        </LivePanel>
        <LivePanel title="Best sellers of all days" live={ofAllDays} asOf={({ asOf }) => asOf}>
          {({ items }) => (
            <TopList
              title="Best sellers of all days"
              items={items}
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

interface TopListProps {
  readonly title: string;
  readonly items: TopItems["items"];
  readonly empty: string;
}

function TopList({ title, items, empty }: TopListProps) {
  if (items.length === 0) return <Message kind="empty">{empty}</Message>;
  const bars = items.map(({ itemID, quantity }) => ({
    key: String(itemID),
    label: itemLink(itemID),
    count: quantity,
  }));
  return <Bars title={title} bars={bars} />;
}
