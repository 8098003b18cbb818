import { bytesOfEventId, NotFound, queryRoute } from "@tally/contract";
import { Type } from "typebox";
import { CorrectedSale } from "./correct.ts";
import { parseSaleId, SaleParams } from "./correction-routes.ts";
import { ShownItem } from "./lines.ts";
import { addNames, arrivalOf, exampleOfNamed, named, NamedPurchase, shownPurchase } from "./list-purchases.ts";
import { LineTakenBack, ShownCorrection, shownCorrection } from "./shown-correction.ts";
import { eventOfCorrection, purchaseTable, readCorrections } from "./store.ts";
import { exampleStore, stores } from "./stores.ts";

const { properties } = ShownItem;
const Item = Type.Object({ line: Type.Integer(), ...properties, refundable: Type.Integer() });

/** GET /purchases/{eventID}: a purchase and what was taken back of it. */
export const onePurchase = queryRoute({
  path: "/purchases/:eventID",
  summary: "a purchase, its voids and refunds as they arrived, and how many units of each item can still be refunded",
  description: "404 for one that is not stored, or whose month was removed",
  params: SaleParams,
  mayMiss: true,
  storeOfResponse: ({ storeID }) => storeID,
  response: Type.Object({
    ...NamedPurchase.properties,
    ...named(Item),
    state: Type.Literal("stored"),
    storeName: Type.Optional(Type.String()),
    corrections: Type.Array(
      Type.Object({ ...ShownCorrection.properties, ...named(LineTakenBack), arrivedAt: Type.Optional(Type.String()) }),
    ),
  }),
  async respond({ params: { eventID } }, sources) {
    const { rows } = sources;
    const id = parseSaleId(eventID);
    const [event] = await purchaseTable.read(rows, [id]);
    if (event === undefined) throw new NotFound("eventID", "the event id of a stored purchase", eventID);
    const sale = new CorrectedSale(event);
    const corrections = [...(await readCorrections(rows, [bytesOfEventId(id)])).values()];
    for (const one of corrections) sale.restore(eventOfCorrection(one), one.lines);
    const purchase = shownPurchase(event);
    const { refundable } = sale;
    const shown = {
      ...purchase,
      state: "stored" as const,
      items: purchase.items.map((item, line) => Object.assign({ line }, item, { refundable: refundable[line] ?? 0 })),
      corrections: corrections.map((one) => Object.assign(shownCorrection(one), arrivalOf(one.storedAt))),
    };
    const [[store]] = await Promise.all([
      stores.namesOf(sources, [{ id: event.storeId }]),
      addNames(sources, [shown, ...shown.corrections]),
    ]);
    return { ...shown, ...(store?.name !== undefined && { storeName: store.name }) };
  },
  examples: {
    "a purchase without corrections": {
      params: { eventID: exampleOfNamed.eventID },
      response: {
        ...exampleOfNamed,
        state: "stored",
        items: exampleOfNamed.items.map((item) => Object.assign({ line: 0, refundable: 2 }, item)),
        storeName: exampleStore.name,
        corrections: [],
      },
    },
  },
});
