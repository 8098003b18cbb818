import type { Status } from "@tally/telemetry";
import type { ComponentChildren } from "preact";
import { apiKey } from "../../http/call.ts";
import { now } from "../../live/live-feed.ts";
import { useWatch, type BodyOf, type Live } from "../../live/use-watch.ts";
import { Bars } from "../../parts/bars.tsx";
import { dateText, drainText } from "../../parts/format.ts";
import { Age, Heading, LivePanel, Message, Tiles } from "../../parts/panel.tsx";
import { Table } from "../../parts/table.tsx";
import { linkTo } from "../../route/route.ts";
import { labelOf } from "../boards/boards.ts";
import { AlertRules } from "./alert-rules.tsx";
import { attentionOf, noneText, type Sales } from "./attention.ts";
import { comparisonText, figureText, shownOf, soldTile, titles, type Shown } from "./comparison.ts";
import { HoursChart } from "./hours-chart.tsx";

interface ChainViewProps {
  readonly status: Live<Status>;
  /** "receipts": their hours. "attention": only what needs it, all of it. */
  readonly part?: string | undefined;
}

/** What all stores sell today, which of them need attention, and whether anything is behind. */
export function ChainView({ status, part }: ChainViewProps) {
  const sales = useWatch<Sales>("/chain/sales");
  const shown = shownOf(sales.body ?? { quantity: 0 });
  const ofHours = part === "receipts" ? part : shown;
  const hoursTitle = `${titles[ofHours]} by hour`;
  if (part === "attention")
    return (
      <>
        <Heading text="What needs attention" />
        <Attention sales={sales} limit={Infinity} />
      </>
    );
  const isEmpty = sales.problem === undefined && sales.body?.asOf === null && sales.body.quantity === 0;
  return (
    <>
      <Heading text={headingOf(sales.body)} />
      {isEmpty ? <FirstSale /> : <Figures sales={sales} status={status.body} shown={shown} />}
      <div class="panels">
        {!isEmpty && (
          <LivePanel title={hoursTitle} live={sales} asOf={asOfSales} csv="/chain/sales?list=hours" wide>
            {({ hours }) => <HoursChart title={hoursTitle} hours={hours} shown={ofHours} />}
          </LivePanel>
        )}
        {!isEmpty && <RegionsPanel sales={sales} shown={shown} />}
        {!isEmpty && <Attention sales={sales} limit={shownMax} />}
        <Best of="items" shown={shown} />
        <Best of="stores" shown={shown} />
        {!isEmpty && <Best of="categories" shown={shown} />}
      </div>
    </>
  );
}

export const headingOf = (sales: Sales | undefined): string =>
  sales === undefined ? "The chain today" : `The chain today, ${dateText(sales.date)}`;

interface FiguresProps {
  readonly sales: Live<Sales>;
  readonly status: Status | undefined;
  readonly shown: Shown;
}

function Figures({ sales, status, shown }: FiguresProps) {
  const { body } = sales;
  const attention = attentionOf(body, now.value);
  return (
    <Tiles
      tiles={[
        ...(shown === "netSales" ? [linked("netSales", soldTile("netSales", body, sales))] : []),
        linked("quantity", soldTile("quantity", body, sales)),
        linkedTo(linkTo(["chain", "receipts"]), soldTile("receipts", body, sales)),
        {
          label: "Needs attention",
          value: (
            <a href={linkTo(["chain", "attention"])}>{attention.count === 0 ? "nothing" : (attention.count ?? "–")}</a>
          ),
          note: attention.text,
          isBad: attention.count !== 0 && body !== undefined,
        },
        {
          label: "Behind",
          value: <a href={linkTo(["pipeline"])}>{status?.state === "ok" ? "nothing" : behindText(status)}</a>,
          note: status?.state === "ok" ? "every sale that was accepted is counted" : status?.problems[0],
          isBad: status !== undefined && status.state !== "ok",
        },
      ]}
    />
  );
}

const linkedTo = (href: string, tile: ReturnType<typeof soldTile>) => ({
  ...tile,
  value: <a href={href}>{tile.value}</a>,
});

/** Leads to the stores that sold most of it. */
const linked = (by: Shown, tile: ReturnType<typeof soldTile>) =>
  linkedTo(linkTo(["boards", "purchases", "chain-stores"], { date: "today", by }), tile);

const behindText = (status: Status | undefined): string =>
  status === undefined ? "–" : status.state === "failing" ? "failing" : drainText(status.secondsToDrain);

const asOfSales = ({ asOf }: Sales) => asOf;

const storeLink = (id: number, name?: string, by?: Shown): ComponentChildren => (
  <a href={linkTo(["stores", id], { by })}>Store {labelOf(id, name)}</a>
);

const itemLink = (id: number, name?: string, by?: Shown): ComponentChildren => (
  <a href={linkTo(["items", id], { date: "today", by })}>{labelOf(id, name)}</a>
);

type Category = BodyOf<"/chain/top-categories">["categories"][number];
type Ranked = BodyOf<"/chain/top-items">["items"][number] | BodyOf<"/chain/top-stores">["stores"][number] | Category;
type List = "items" | "stores" | "categories";
type Body = { readonly asOf: string | null } & Readonly<Partial<Record<List, readonly Ranked[]>>>;

interface BestProps {
  readonly of: List;
  readonly shown: Shown;
  /** Of its stores only. */
  readonly region?: string;
  /** How many are shown, without a download. By default 10, with one. */
  readonly limit?: number;
}

/** What sold most today. */
export function Best({ of, shown, region, limit }: BestProps) {
  const page = of === "categories" ? {} : { limit: String(limit ?? shownMax) };
  const chosen = { date: "today", by: shown, ...page };
  const whose = region === undefined ? "chain" : `regions/${encodeURIComponent(region)}`;
  const path = `/${whose}/top-${of}?${new URLSearchParams(chosen).toString()}`;
  const live = useWatch<Body>(path);
  const title = `Best ${of} today`;
  const barOf = (one: Ranked) => {
    if ("category" in one) return { key: one.category, label: one.category, isNamed: true, count: one[shown] ?? 0 };
    const id = "itemID" in one ? one.itemID : one.storeID;
    const label = of === "items" ? itemLink(id, one.name, shown) : storeLink(id, one.name, shown);
    return { key: String(id), label, isNamed: one.name !== undefined, count: one[shown] ?? 0 };
  };
  return (
    <LivePanel title={title} live={live} asOf={({ asOf }) => asOf} csv={limit === undefined ? path : undefined}>
      {({ [of]: best = [] }) => <Bars title={title} bars={best.slice(0, shownMax).map(barOf)} empty={empty[of]} />}
    </LivePanel>
  );
}

const empty = {
  items: "Nothing was sold today.",
  stores: "Nothing was sold today.",
  categories: "No item that sells has a category. The view of an item can give it one.",
};

function RegionsPanel({ sales, shown }: { readonly sales: Live<Sales>; readonly shown: Shown }) {
  return (
    <LivePanel title="Regions" live={sales} asOf={asOfSales} csv="/chain/sales?list=regions">
      {({ regions }) => (
        <Table<Sales["regions"][number]>
          title="Regions"
          rows={regions.some(({ region }) => region !== undefined) ? regions : []}
          keyOf={({ region = "" }) => region}
          isNarrow
          columns={[
            {
              title: "Region",
              cell: ({ region }) =>
                region === undefined ? "none" : <a href={linkTo(["regions", region])}>{region}</a>,
            },
            { title: titles[shown], cell: (row) => figureText(row, shown), isNumber: true },
            { title: "Compared", cell: (row) => comparisonText(row, row.weekAgo, shown) },
          ]}
          empty="No store that sells has a region. The view of a store can give it one."
        />
      )}
    </LivePanel>
  );
}

const shownMax = 10;

/** Stores that have fallen silent or whose dates look wrong, and other alerts. */
function Attention({ sales, limit }: { readonly sales: Live<Sales>; readonly limit: number }) {
  return (
    <LivePanel
      title="Needs attention"
      live={sales}
      asOf={({ alertsAsOf }) => alertsAsOf}
      csv="/chain/sales?list=alerts"
    >
      {(body) => {
        const lines = body.alerts.map(({ rule, storeID, itemID = 0, name, text, lastSaleAt, usual }) => (
          <li key={`${rule} ${storeID} ${itemID}`}>
            {storeID === undefined ? <>Item {itemLink(itemID, name)}</> : storeLink(storeID, name)}
            {lastSaleAt === undefined ? (
              <>: {text}.</>
            ) : (
              <>
                {" "}
                is silent: last sale {lastSaleAt === null ? "unknown" : <Age at={Date.parse(lastSaleAt)} />}, {usual}{" "}
                units in the same time a week ago.
              </>
            )}
          </li>
        ));
        return (
          <>
            {lines.length === 0 && <Message kind="empty">{noneText(body)}</Message>}
            <ul class="attention">{lines.slice(0, limit)}</ul>
            {lines.length > limit && <a href={linkTo(["chain", "attention"])}>and more</a>}
            <AlertRules />
          </>
        );
      }}
    </LivePanel>
  );
}

function FirstSale() {
  return (
    <Message kind="empty">
      Nothing has been sold today. <code>pnpm demo</code> plays a day of a chain. To send a sale yourself:{" "}
      <code>
        curl -X POST {location.origin}/purchase/7/customer/1/date/
        {new Date().toISOString().slice(0, 10).replaceAll("-", "")} -H content-type:application/json{" "}
        {apiKey.value !== "" && "-H 'authorization: Bearer API_KEY' "}-d '
        {`{"items":[{"ItemID":42,"numberOfItems":1}]}`}'
      </code>
    </Message>
  );
}
