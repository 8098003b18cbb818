import { Age } from "../../parts/age.tsx";
import { Message } from "../../parts/message.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { dateText } from "../../parts/format.ts";

/** The response of GET /purchases/latest, newest arrival first. */
export interface Latest {
  readonly purchases: readonly Purchase[];
}

interface Purchase {
  readonly eventID: string;
  readonly storeID: number;
  readonly custID: number;
  readonly date: string;
  readonly arrivedAt: string;
  readonly items: readonly { readonly ItemID: string | number; readonly numberOfItems: number }[];
}

const columns: readonly Column<Purchase>[] = [
  { title: "Arrived", cell: ({ arrivedAt }) => <Age at={Date.parse(arrivedAt)} withTime /> },
  { title: "Customer", cell: ({ custID }) => custID, isNumber: true },
  { title: "Date of sale", cell: ({ date }) => dateText(date) },
  {
    title: "Items",
    cell: ({ items }) => items.map(({ ItemID, numberOfItems }) => `${numberOfItems} × ${ItemID}`).join(", "),
  },
];

/** The purchases that arrived last, with their times. */
export function LatestPurchases({ purchases }: { readonly purchases: readonly Purchase[] }) {
  if (purchases.length === 0) return <Message kind="empty">No purchase has arrived yet.</Message>;
  return <Table title="Latest purchases" rows={purchases} keyOf={({ eventID }) => eventID} columns={columns} />;
}
