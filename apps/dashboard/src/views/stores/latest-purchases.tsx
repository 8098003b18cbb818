import { Age } from "../../parts/age.tsx";
import { Message } from "../../parts/message.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { dateText } from "../../parts/format.ts";

/** The response of GET /purchases/latest, newest arrival first. */
export interface Latest {
  readonly purchases: readonly Purchase[];
  readonly isComplete: boolean;
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
export function LatestPurchases({ purchases, isComplete }: Latest) {
  if (purchases.length === 0) return <Message kind="empty">No purchase has arrived yet.</Message>;
  return (
    <>
      {!isComplete && (
        <p>Found among 5,000 purchases with the newest dates. This store has more, so a later one may be missing.</p>
      )}
      <Table title="Latest purchases" rows={purchases} keyOf={({ eventID }) => eventID} columns={columns} />
    </>
  );
}
