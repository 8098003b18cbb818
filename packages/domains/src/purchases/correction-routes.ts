import { bulkRoute, bytesOfEventId, eventIdOfKey, IdempotencyKey, ingestRoute, InvalidInput } from "@tally/contract";
import { isEventId, keyedRead, NotFound, type Sources } from "@tally/contract";
import { Type, type Static } from "typebox";
import { closed, ids, wholeNumbers } from "../values.ts";
import { BusinessDate, parseCalendarDate } from "./calendar-date.ts";
import { itemsMax, Quantity, Reason, type RefundEvent, type VoidEvent } from "./event.ts";
import { grossMax } from "./lines.ts";
import { Money, moneyText, parseMoney } from "./money.ts";
import { checkTimes } from "./registry.ts";
import { scopeOfStore } from "./routes.ts";

const expectedId = "the event id of a purchase, from a header Tally-Event-Id";
export const SaleParams = Type.Object({ eventID: Type.String({ expected: expectedId }) });

/** Throws InvalidInput. */
export function parseSaleId(text: string): string {
  const id = text.toLowerCase();
  if (!isEventId(id)) throw new InvalidInput("eventID", expectedId, text);
  return id;
}

const lineNumbers = wholeNumbers(0, itemsMax - 1);

const RefundedLine = closed(
  { line: lineNumbers.Value, ItemID: ids.Value, numberOfItems: Quantity, amount: Type.Optional(Money) },
  { expected: "an object with line, ItemID and numberOfItems" },
);
const Refund = closed(
  {
    storeID: ids.Value,
    date: BusinessDate,
    items: Type.Array(RefundedLine, {
      minItems: 1,
      maxItems: itemsMax,
      expected: `a list of 1 to ${itemsMax} items of the purchase`,
    }),
  },
  { expected: "an object with storeID, date and items" },
);

/** Names a purchase in a bulk request: by its event id, or by what its till sent. */
const saleFields = {
  eventID: Type.Optional(SaleParams.properties.eventID),
  sale: Type.Optional(
    closed(
      { storeID: ids.Value, idempotencyKey: IdempotencyKey },
      { expected: "an object with the storeID and the idempotencyKey of the purchase" },
    ),
  ),
};
const noteFields = { storeID: Type.Optional(ids.Value), reason: Type.Optional(Reason) };
const Note = closed(noteFields, { expected: "an object with storeID or reason, or no body" });
const VoidEntry = closed(
  { ...saleFields, ...noteFields, idempotencyKey: Type.Optional(IdempotencyKey) },
  { expected: "an object with eventID or sale" },
);

function voided(saleId: string, { storeID, reason }: Static<typeof Note>): VoidEvent {
  const storeId = storeID === undefined ? undefined : ids.parse("storeID", storeID);
  const note = { ...(storeId !== undefined && { storeId }), ...(reason !== undefined && { reason }) };
  const id = eventIdOfKey("purchases/void", saleId);
  return { kind: "void", id, saleId, ...(Object.keys(note).length > 0 && { note }) };
}

function refund(id: string, saleId: string, { storeID, date, items }: Static<typeof Refund>): RefundEvent {
  return {
    kind: "refund",
    id,
    saleId,
    storeId: ids.parse("storeID", storeID),
    date: parseCalendarDate("date", String(date)),
    lines: items.map(({ line, ItemID, numberOfItems, amount }, index): RefundEvent["lines"][number] => {
      const at = lineNumbers.parse(`items[${index}].line`, line);
      const itemId = ids.parse(`items[${index}].ItemID`, ItemID);
      if (amount === undefined) return [at, itemId, numberOfItems];
      const money = parseMoney(amount);
      if (money > grossMax) throw new InvalidInput(`items[${index}].amount`, `at most ${moneyText(grossMax)}`, amount);
      return [at, itemId, numberOfItems, money];
    }),
  };
}

function saleIdOf({ eventID, sale }: Pick<Static<typeof VoidEntry>, keyof typeof saleFields>): string {
  if (eventID !== undefined && sale === undefined) return parseSaleId(eventID);
  if (eventID !== undefined || sale === undefined)
    throw new InvalidInput("eventID", "one of eventID and sale", eventID);
  return eventIdOfKey(scopeOfStore(sale.storeID), sale.idempotencyKey);
}

const returnedItem = { line: 1, ItemID: 4242, numberOfItems: 1 };

/** The ids of two purchases of the examples, made of their keys. */
const exampleSale = "19b3105b-b31b-8059-a798-805392fb8073";
const voidedSale = { storeID: 9, idempotencyKey: "till-9-000001" };

const storeOfSale = keyedRead<readonly [id: Buffer], { id: Buffer; storeId: number }, number | undefined>({
  select: "SELECT id, store_id AS storeId FROM purchases WHERE id IN (?)",
  key: ["id"],
  keysMax: 500,
  ofRows: ([row]) => row?.storeId,
});

/** Rejects a void whose `storeID` is not that of its stored purchase. While the rows cannot be read, it is accepted. */
function checkStore({ saleId, note }: VoidEvent, sources: Sources): Promise<void> | undefined {
  return note?.storeId === undefined ? undefined : expectStore(saleId, note.storeId, sources);
}

async function expectStore(saleId: string, storeId: number, { readNewest }: Sources): Promise<void> {
  const store = await readNewest(storeOfSale, [bytesOfEventId(saleId)]).catch(() => undefined);
  if (store !== undefined && store !== storeId) throw new InvalidInput("storeID", "that of the purchase", storeId);
}

const oneVoid = ingestRoute({
  path: "/purchases/:eventID/void",
  summary: "takes back a whole purchase",
  description:
    "In its store and on its day. However often it is sent, it is one event. Before its purchase it waits for 7 days. A purchase with refunds cannot be void: the void becomes a dead letter. 400 for another `storeID` than that of the stored purchase. However it is sent again, its first `reason` stays. 404 for a key that is limited to stores until the purchase is stored",
  params: SaleParams,
  body: Note,
  mayLackBody: true,
  scope: ({ eventID }) => `purchases/void/${parseSaleId(eventID)}`,
  async storeOfStored({ eventID }, { readNewest }) {
    const store = await readNewest(storeOfSale, [bytesOfEventId(parseSaleId(eventID))]);
    if (store === undefined) throw new NotFound("eventID", "the event id of a stored purchase", eventID);
    return store;
  },
  toEvent: (_id, { eventID }, note): VoidEvent => voided(parseSaleId(eventID), note),
  check: checkStore,
  status: 201,
  examples: {
    "a void": {
      params: { eventID: eventIdOfKey(scopeOfStore(voidedSale.storeID), voidedSale.idempotencyKey) },
      body: { storeID: voidedSale.storeID, reason: "mistyped" },
    },
  },
});

const oneRefund = ingestRoute({
  path: "/purchases/:eventID/refunds",
  summary: "takes back some items of a purchase",
  description:
    "In the store and on the day of the refund. `line`: the place of the item in the purchase, from 0. Without an `amount`: its share of the price of the line. Before its purchase it waits for 7 days. More than was sold, another item, or a void purchase: the refund becomes a dead letter",
  params: SaleParams,
  body: Refund,
  requiresKey: true,
  scope: ({ eventID }) => `purchases/refund/${parseSaleId(eventID)}`,
  storeOf: (_params, { storeID }) => ids.parse("storeID", storeID),
  toEvent: (id, { eventID }, body): RefundEvent => refund(id, parseSaleId(eventID), body),
  check: checkTimes,
  status: 201,
  examples: {
    "one item": {
      params: { eventID: exampleSale },
      body: { storeID: 5, date: "20261121", items: [returnedItem] },
      idempotencyKey: "till-5-000019",
    },
  },
});

export const manyVoids = bulkRoute({
  path: "/voids",
  summary: "many voids",
  description: "Each names its purchase by `eventID`, or by the store and the idempotency key that it was sent with",
  entry: VoidEntry,
  entriesMax: 1000,
  scope: (entry) => `purchases/void/${saleIdOf(entry)}`,
  storeOf: ({ sale }) => (sale === undefined ? undefined : ids.parse("sale.storeID", sale.storeID)),
  key: ({ idempotencyKey }) => idempotencyKey,
  toEvent(_id, entry): VoidEvent {
    const { sale, storeID } = entry;
    if (sale !== undefined && storeID !== undefined && Number(sale.storeID) !== Number(storeID))
      throw new InvalidInput("storeID", "that of sale", storeID);
    return voided(saleIdOf(entry), entry);
  },
  check: checkStore,
  examples: { "a void again": { entries: [{ sale: voidedSale }] } },
});

export const manyRefunds = bulkRoute({
  path: "/refunds",
  summary: "many refunds",
  description:
    "Each names its purchase by `eventID`, or by the store and the idempotency key that it was sent with. Each has an `idempotencyKey`, unless the request has an `Idempotency-Key`",
  entry: closed(
    { ...saleFields, ...Refund.properties, idempotencyKey: Type.Optional(IdempotencyKey) },
    { expected: "an object with eventID or sale, storeID, date and items" },
  ),
  entriesMax: 1000,
  scope: (entry) => `purchases/refund/${saleIdOf(entry)}`,
  storeOf: ({ storeID }) => ids.parse("storeID", storeID),
  key: ({ idempotencyKey }) => idempotencyKey,
  requiresKeys: true,
  toEvent: (id, entry): RefundEvent => refund(id, saleIdOf(entry), entry),
  check: checkTimes,
  examples: {
    "a refund again": {
      entries: [
        {
          sale: { storeID: 5, idempotencyKey: "till-5-000017" },
          storeID: 5,
          date: "20261121",
          items: [returnedItem],
          idempotencyKey: "till-5-000019",
        },
      ],
    },
  },
});

export const correctionRoutes = [oneVoid, oneRefund, manyVoids, manyRefunds];
