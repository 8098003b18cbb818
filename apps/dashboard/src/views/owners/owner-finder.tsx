import type { ComponentChildren } from "preact";
import { useWatch } from "../../live/use-watch.ts";
import { IdForm } from "../../parts/form.tsx";
import { Heading, LivePanel, Message } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { goTo, linkTo } from "../../route/route.ts";
import { labelOf, nameIn, pathOf, type Board, type Values } from "../boards/boards.ts";
import { idOf, RegistryForm, type Entries, type Entry } from "./registry-form.tsx";

interface OwnerFinderProps extends RegisteredProps {
  readonly one: "Store" | "Item";
  readonly id: string | undefined;
  /** The chosen days and measure. */
  readonly chosen: Values;
  /** Its body has the name of the owner. */
  readonly board: Board | undefined;
  readonly values: Values;
  /** What to do while none is chosen. */
  readonly children: ComponentChildren;
}

/** The heading of a store or an item, and the field that finds another. Without an id: those that are registered. */
export function OwnerFinder({ one, many, id, search, chosen, board, values, children }: OwnerFinderProps) {
  const { body } = useWatch<unknown>(board && pathOf(board, values));
  return (
    <>
      <Heading text={labelOf(id === undefined ? `${one}s` : `${one} ${id}`, nameIn(body))} />
      <IdForm
        label={one}
        value={id ?? search}
        onPick={(picked) => goTo([many, picked], chosen)}
        onSearch={(text) => goTo([many], { ...chosen, search: text })}
      />
      {id === undefined && <Message kind="empty">{children}</Message>}
      {id === undefined ? <Registered {...{ many, search }} /> : <RegistryForm key={id} {...{ many, id }} />}
    </>
  );
}

interface RegisteredProps {
  readonly many: "stores" | "items";
  /** A part of the name; empty: all. */
  readonly search: string;
}

const shownMax = 100;

/** The stores or items that operators have registered, each with a link to its view. */
function Registered({ many, search }: RegisteredProps) {
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
