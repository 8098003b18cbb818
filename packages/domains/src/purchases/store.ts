import { bytesOfEventId } from "@tally/contract";
import type { BatchEvent, BatchId, Refusal, SqlReader, SqlTransaction } from "@tally/contract";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { eventTable, idColumn } from "../event-table.ts";
import { closed, EventId, StoredNumber } from "../values.ts";
import { CorrectedSale, type Counted } from "./correct.ts";
import type { CountedLine } from "./series.ts";
import {
  CountedLines,
  isCorrection,
  PurchaseEvent,
  Reason,
  RefundEvent,
  type Correction,
  type SalesEvent,
} from "./event.ts";

const isLines = Compile(PurchaseEvent.properties.lines);
const selectDate = (column: string) => `DATE_FORMAT(${column}, '%Y%m%d')`;

/** Purchases have no natural key: a row is new if its event id is. */
export const purchaseTable = eventTable(PurchaseEvent, "purchases", {
  storeId: "store_id",
  customerId: "customer_id",
  date: { name: "purchased_on", select: selectDate("purchased_on"), ofColumn: Number },
  lines: { name: "items", toColumn: JSON.stringify, ofColumn: (column) => listOf(isLines, column) },
  soldAt: "sold_at",
});

/** A list in a column: MySQL sends its JSON type, which the driver parses; MariaDB sends text. */
export function listOf<T>(check: { Check(value: unknown): value is T }, column: unknown): T {
  const list: unknown = typeof column === "string" ? JSON.parse(column) : column;
  if (!check.Check(list)) throw new TypeError("expected a list of items");
  return list;
}

const isCounted = Compile(CountedLines);
/** The lines in the column `items` of a sale or a correction. */
export const countedLines = (column: unknown): readonly CountedLine[] => listOf(isCounted, column);

const isTakenBack = Compile(RefundEvent.properties.lines);

/** The row of a correction: the event, and what it counts. */
const CorrectionRow = closed({
  id: EventId,
  kind: Type.Enum(["void", "refund"]),
  saleId: EventId,
  storeId: StoredNumber,
  date: PurchaseEvent.properties.date,
  lines: CountedLines,
  takenBack: Type.Optional(RefundEvent.properties.lines),
  reason: Type.Optional(Reason),
});

export const correctionTable = eventTable(CorrectionRow, "purchase_corrections", {
  kind: "kind",
  saleId: idColumn("sale_id"),
  storeId: "store_id",
  date: { name: "counted_on", select: selectDate("counted_on"), ofColumn: Number },
  lines: { name: "items", toColumn: JSON.stringify, ofColumn: (column) => listOf(isCounted, column) },
  takenBack: { name: "taken_back", toColumn: JSON.stringify, ofColumn: (column) => listOf(isTakenBack, column) },
  reason: "reason",
});

/** A row of a correction. */
export type CountedCorrection = ReturnType<typeof correctionTable.eventOf>;

/** A new row of the domain, and what a correction counts. */
export type SalesChange =
  | BatchEvent<PurchaseEvent>
  | (BatchEvent<Correction> & { readonly counted: CountedCorrection });

export const store = {
  /** Sales before corrections, which may be of sales in the same transaction. */
  async write(
    transaction: SqlTransaction,
    events: readonly BatchEvent<SalesEvent>[],
    refuse: (event: SalesEvent, refusal: Refusal) => void,
  ): Promise<readonly SalesChange[]> {
    const sales = await purchaseTable.write(transaction, events.filter(isSale));
    const corrections = events.filter(isOfCorrection);
    if (corrections.length === 0) return sales;
    const added = await correctionTable.write(transaction, await admit(transaction, corrections, refuse));
    return [...sales, ...added.map(({ event, batch }) => ({ event: eventOfCorrection(event), batch, counted: event }))];
  },

  locate: async (reader: SqlReader, eventId: string) =>
    (await purchaseTable.locate(reader, eventId)) ?? (await correctionTable.locate(reader, eventId)),

  async read(reader: SqlReader, eventIds: readonly string[]): Promise<readonly SalesEvent[]> {
    const corrections = (await correctionTable.read(reader, eventIds)).map(eventOfCorrection);
    return [...(await purchaseTable.read(reader, eventIds)), ...corrections];
  },

  readMax: purchaseTable.readMax,
  awaited: purchaseTable.table,
};

const isSale = (one: BatchEvent<SalesEvent>): one is BatchEvent<PurchaseEvent> => !isCorrection(one.event);
const isOfCorrection = (one: BatchEvent<SalesEvent>): one is BatchEvent<Correction> => isCorrection(one.event);

/** The event that a row of a correction was made of, without a note. */
export function eventOfCorrection({ id, kind, saleId, storeId, date, takenBack = [] }: CountedCorrection): Correction {
  return kind === "void" ? { kind, id, saleId } : { kind, id, saleId, storeId, date, lines: takenBack };
}

// The row of a sale is the lock of its corrections. In the order of the ids: two writers wait and do not deadlock.
const lockSales = `SELECT ${purchaseTable.selectList()} FROM purchases WHERE id IN (?) ORDER BY id FOR UPDATE`;
const selectCorrections = `
  SELECT ${correctionTable.selectList()}, stored_at AS storedAt FROM purchase_corrections WHERE sale_id IN (?)
  ORDER BY stored_at, id`;

// The moves of a batch are one statement and one message, and a short void may have 500 lines: 148 characters of the
// statement for each line of three measures, with ids of 16 digits.
const linesOfBatchMax = 15_000;

/** The corrections that are new and that their sales admit, with what they count. Of two that exclude each other, the
 * first to arrive is admitted. Locks the sales. */
async function admit(
  transaction: SqlTransaction,
  corrections: readonly BatchEvent<Correction>[],
  refuse: (event: Correction, refusal: Refusal) => void,
): Promise<readonly BatchEvent<CountedCorrection>[]> {
  const ids = [...new Set(corrections.map(({ event }) => event.saleId))].map(bytesOfEventId);
  const rows = await transaction.query(lockSales, [ids]);
  // After the lock, so that it sees what others have committed.
  const stored = await readCorrections(transaction, ids);
  const sales = new Map(rows.map(purchaseTable.eventOfRow).map((sale) => [sale.id, new CorrectedSale(sale)]));
  for (const one of stored.values()) sales.get(one.saleId)?.restore(eventOfCorrection(one), one.lines);
  const admitted: BatchEvent<CountedCorrection>[] = [];
  const linesOf = new Map<BatchId, number>();
  for (const { event, batch } of corrections) {
    if (stored.has(event.id)) continue;
    const lines = linesOf.get(batch) ?? 0;
    const isFull = lines >= linesOfBatchMax;
    const reason = isFull ? `its batch takes back ${lines} lines` : `its sale ${event.saleId} is not stored`;
    const counted = (isFull ? undefined : sales.get(event.saleId)?.apply(event)) ?? { reason, waitsFor: event.saleId };
    if ("reason" in counted) refuse(event, counted);
    else {
      admitted.push({ event: rowOf(event, counted), batch });
      linesOf.set(batch, lines + counted.lines.length);
    }
  }
  return admitted;
}

/** `storedAt`: in ms since 1970; null: the row is older than the column. */
type StoredCorrection = CountedCorrection & { readonly storedAt: number | null };

/** What was taken back of sales, by event id, in the order of their storage. */
export async function readCorrections(
  reader: SqlReader,
  saleIds: readonly Buffer[],
): Promise<ReadonlyMap<string, StoredCorrection>> {
  const rows = await reader.query<Pick<StoredCorrection, "storedAt">>(selectCorrections, [saleIds]);
  const corrections = rows.map((row) => Object.assign(correctionTable.eventOfRow(row), { storedAt: row.storedAt }));
  return new Map(corrections.map((one) => [one.id, one]));
}

function rowOf(event: Correction, { storeId, date, lines }: Counted): CountedCorrection {
  const { id, kind, saleId } = event;
  const own = { id, kind, saleId, storeId, date, lines: [...lines] };
  if (event.kind === "refund") return { ...own, takenBack: event.lines };
  return event.note?.reason === undefined ? own : { ...own, reason: event.note.reason };
}
