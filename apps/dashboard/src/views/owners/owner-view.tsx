import type { ComponentChildren } from "preact";
import { now } from "../../live/live-feed.ts";
import { useWatch, type Live } from "../../live/use-watch.ts";
import { IdForm } from "../../parts/form.tsx";
import { Heading, LivePanel, Message } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { NoBoard } from "../boards/board-view.tsx";
import { attentionOf, type Sales } from "../chain/attention.ts";
import { isAt, labelOf, nameIn, owners, pathOf, valuesOf } from "../boards/boards.ts";
import type { Board, Boards, Values } from "../boards/boards.ts";
import { idOf, RegistryForm, type Entries, type Entry } from "./registry-form.tsx";

export interface OwnersProps {
  readonly views: Live<Boards>;
  readonly id: string | undefined;
  /** The chosen days and measure, or a part of a name that is searched. */
  readonly given: Values;
}

/** A store or an item that is chosen, with its board. */
export interface Owner {
  readonly id: string;
  readonly board: Board;
  /** Of the parameters of the board. */
  readonly values: Values;
  readonly given: Values;
}

interface OwnerViewProps extends OwnersProps {
  readonly many: keyof typeof owners;
  /** Instead of the defaults of the board. */
  readonly usual?: Values;
  /** What to do while none is chosen. */
  readonly hint: ComponentChildren;
  readonly children: (owner: Owner) => ComponentChildren;
}

/** A store or an item, and the field that finds another. Without an id: those that are registered. */
export function OwnerView({ many, usual, views, id, given: all, hint, children }: OwnerViewProps) {
  const { one, param, path } = owners[many];
  const { search = "", ...given } = all;
  const board = views.body?.views.find((view) => isAt(path, view));
  const values = { ...(board && valuesOf(board, { ...usual, ...given })), [param]: id ?? "" };
  const { body } = useWatch<unknown>(board && pathOf(board, values));
  return (
    <>
      <Heading text={labelOf(id === undefined ? `${one}s` : `${one} ${id}`, nameIn(body))} />
      <IdForm
        label={one}
        value={id ?? search}
        onPick={(picked) => goTo([many, picked], given)}
        onSearch={(text) => goTo([many], { ...given, search: text })}
      />
      {id === undefined && <Message kind="empty">{hint}</Message>}
      {id !== undefined && <OwnAlerts {...{ many, id }} />}
      {id === undefined ? <Registered {...{ many, search }} /> : <RegistryForm key={id} {...{ many, id }} />}
      {id !== undefined && (board === undefined ? <NoBoard views={views} /> : children({ id, board, values, given }))}
    </>
  );
}

/** What needs attention of a store or an item. */
function OwnAlerts({ many, id }: Pick<Owner, "id"> & Pick<OwnerViewProps, "many">) {
  const { body } = useWatch<Sales>("/chain/sales");
  const known = attentionOf(body, now.value).count === undefined ? [] : (body?.alerts ?? []);
  const own = known.filter(({ storeID, itemID }) => (many === "stores" ? storeID : itemID) === Number(id));
  return own.length === 0 ? null : (
    <ul class="attention" aria-label="Needs attention">
      {own.map(({ rule, text }) => (
        <li key={rule}>Needs attention: {text}.</li>
      ))}
    </ul>
  );
}

const shownMax = 100;

/** The stores or items that operators have registered, each with a link to its view. `search`: a part of the name. */
function Registered({ many, search }: { readonly many: keyof typeof owners; readonly search: string }) {
  const searched = search === "" ? "" : `&search=${encodeURIComponent(search)}`;
  const path = `/${many}?limit=${shownMax}${searched}`;
  const live = useWatch<Entries>(path);
  const title = search === "" ? `Registered ${many}` : `Registered ${many} with "${search}" in their name`;
  return (
    <LivePanel title={title} live={live} wide csv={path}>
      {({ [many]: entries = [] }) => (
        <>
          {entries.length === shownMax && <p>The first {shownMax}. Search for a part of a name to find others.</p>}
          <Table
            title={title}
            rows={entries}
            keyOf={(entry) => `${idOf(entry)}`}
            columns={columnsOf[many]}
            empty={search === "" ? "None yet." : "None."}
          />
        </>
      )}
    </LivePanel>
  );
}

const columnsOf = { stores: columns("stores", "Store", "Region"), items: columns("items", "Item", "Category") };

function columns(many: string, one: string, group: string): readonly Column<Entry>[] {
  return [
    { title: one, cell: (entry) => <a href={linkTo([many, idOf(entry)])}>{idOf(entry)}</a> },
    { title: "Name", cell: ({ name }) => name },
    { title: group, cell: (entry) => ("storeID" in entry ? entry.region : entry.category) },
  ];
}
