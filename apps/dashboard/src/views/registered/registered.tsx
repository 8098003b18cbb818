import { useWatch, type BodyOf } from "../../live/use-watch.ts";
import { LivePanel } from "../../parts/panel.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { linkTo } from "../../route/route.ts";

type Entry = BodyOf<"/stores">["stores"][number] | BodyOf<"/items">["items"][number];

interface RegisteredProps {
  readonly many: "stores" | "items";
  /** A part of the name; empty: all. */
  readonly search: string;
}

const shownMax = 100;

/** The stores or items that operators have registered, each with a link to its view. */
export function Registered({ many, search }: RegisteredProps) {
  const searched = search === "" ? "" : `&search=${encodeURIComponent(search)}`;
  const live = useWatch<Readonly<Partial<Record<string, readonly Entry[]>>>>(`/${many}?limit=${shownMax}${searched}`);
  const title = search === "" ? `Registered ${many}` : `Registered ${many} with "${search}" in their name`;
  return (
    <LivePanel title={title} live={live} wide>
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

const idOf = (entry: Entry): number => ("storeID" in entry ? entry.storeID : entry.itemID);

const columnsOf = { stores: columns("stores", "Store", "Region"), items: columns("items", "Item", "Category") };

function columns(many: string, one: string, group: string): readonly Column<Entry>[] {
  return [
    { title: one, cell: (entry) => <a href={linkTo([many, idOf(entry)])}>{idOf(entry)}</a> },
    { title: "Name", cell: ({ name }) => name },
    { title: group, cell: (entry) => ("storeID" in entry ? entry.region : entry.category) },
  ];
}
