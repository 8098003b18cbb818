import type { Status } from "@tally/telemetry";
import { useWatch, type BodyOf, type Live } from "../../live/use-watch.ts";
import { countText, drainText } from "../../parts/format.ts";
import { Heading, Message, Tiles } from "../../parts/panel.tsx";
import { linkTo } from "../../route/route.ts";
import { BoardPanel, NoBoard } from "../boards/board-view.tsx";
import { boardAt, labelOf, type Boards } from "../boards/boards.ts";

interface ChainViewProps {
  readonly views: Live<Boards>;
  readonly status: Live<Status>;
}

type Stores = BodyOf<"/top-stores">;

const totalOf = (day: string, by: "quantity" | "netSales" = "quantity") => `/top-stores?limit=1&date=${day}&by=${by}`;

/** What all stores sell today, and whether anything is behind. */
export function ChainView({ views, status }: ChainViewProps) {
  const [today, yesterday] = [useWatch<Stores>(totalOf("today")), useWatch<Stores>(totalOf("yesterday"))];
  const net = useWatch<Stores>(totalOf("today", "netSales"));
  const [items, stores] = ["/top-items", "/top-stores"].map((path) => boardAt(path, views.body?.views));
  const values = { date: "today", by: "quantity" };
  const tileOf = (label: string, { body, problem }: Live<Stores>) => ({
    label,
    value: body === undefined ? "–" : countText(body.total.quantity ?? 0),
    note: body === undefined ? (problem?.message ?? "loading") : "sold less taken back, in all stores",
  });
  const isEmpty = today.body?.asOf === null;
  return (
    <>
      <Heading text="The chain today" />
      <Tiles
        tiles={[
          tileOf("Units today", today),
          tileOf("Units yesterday", yesterday),
          // Only where BY keeps it.
          ...(net.body === undefined
            ? []
            : [{ label: "Net sales today", value: countText(net.body.total.netSales ?? "0") }]),
          {
            label: "Behind",
            value: (
              <a href={linkTo(["pipeline"])}>
                {status.body?.state === "ok" ? "nothing" : drainText(status.body?.secondsToDrain ?? null)}
              </a>
            ),
            isBad: status.body !== undefined && status.body.state !== "ok",
          },
        ]}
      />
      {isEmpty && <FirstSale />}
      {items === undefined || stores === undefined ? (
        <NoBoard views={views} />
      ) : (
        <div class="panels">
          <BoardPanel
            board={items}
            values={values}
            title="Best items today"
            linkOf={(itemID, name) => (
              <a href={linkTo(["items", itemID], { date: "today" })}>{labelOf(itemID, name)}</a>
            )}
            empty="No item was sold today."
          />
          <BoardPanel
            board={stores}
            values={values}
            title="Best stores today"
            linkOf={(storeID, name) => <a href={linkTo(["stores", storeID])}>Store {labelOf(storeID, name)}</a>}
            empty="No store has sold anything today."
          />
        </div>
      )}
    </>
  );
}

function FirstSale() {
  return (
    <Message kind="empty">
      Nothing has been sold yet. <code>pnpm demo</code> plays a day of a chain. To send a sale yourself:{" "}
      <code>
        curl -X POST {location.origin}/purchase/7/customer/1/date/
        {new Date().toISOString().slice(0, 10).replaceAll("-", "")} -H content-type:application/json -d '
        {`{"items":[{"ItemID":42,"numberOfItems":1}]}`}'
      </code>
    </Message>
  );
}
