import { bytesOfEventId, NotFound, queryRoute } from "@tally/contract";
import { Type } from "typebox";
import { CorrectedSale } from "./correct.ts";
import { parseSaleId, SaleParams } from "./correction-routes.ts";
import { exampleItem } from "./items.ts";
import { addNames, arrivalOf, exampleOfNamed, named, NamedPurchase, shownPurchase } from "./list-purchases.ts";
import { LineTakenBack, lineOf, ShownCorrection, shownCorrection } from "./shown-correction.ts";
import { eventOfCorrection, purchaseTable, readCorrections } from "./store.ts";
import { exampleStore, stores } from "./stores.ts";

/** GET /purchases/{eventID}: a purchase and what was taken back of it. */
export const onePurchase = queryRoute({
  path: "/purchases/:eventID",
  summary: "a purchase, its voids and refunds as they arrived, and what can still be refunded",
  description: "404 for one that is not stored, or whose month was removed",
  params: SaleParams,
  mayMiss: true,
  storeOfResponse: ({ storeID }) => storeID,
  response: Type.Object({
    ...NamedPurchase.properties,
    storeName: Type.Optional(Type.String()),
    corrections: Type.Array(
      Type.Object({ ...ShownCorrection.properties, ...named(LineTakenBack), arrivedAt: Type.Optional(Type.String()) }),
    ),
    refundable: named(LineTakenBack).items,
  }),
  async respond({ params: { eventID } }, sources) {
    const { rows } = sources;
    const id = parseSaleId(eventID);
    const [event] = await purchaseTable.read(rows, [id]);
    if (event === undefined) throw new NotFound("eventID", "the event id of a stored purchase", eventID);
    const sale = new CorrectedSale(event);
    const corrections = [...(await readCorrections(rows, [bytesOfEventId(id)])).values()];
    for (const one of corrections) sale.restore(eventOfCorrection(one), one.lines);
    const shown = {
      ...shownPurchase(event),
      corrections: corrections.map((one) => Object.assign(shownCorrection(one), arrivalOf(one.storedAt))),
      refundable: sale.refundable.map(({ units, amount }, at) => lineOf(at, event.lines[at]?.[0] ?? 0, units, amount)),
    };
    const [[store]] = await Promise.all([
      stores.namesOf(sources, [{ id: event.storeId }]),
      addNames(sources, [shown, ...shown.corrections, { items: shown.refundable }]),
    ]);
    return { ...shown, ...(store?.name !== undefined && { storeName: store.name }) };
  },
  examples: {
    "a purchase without corrections": {
      params: { eventID: exampleOfNamed.eventID },
      response: {
        ...exampleOfNamed,
        storeName: exampleStore.name,
        corrections: [],
        refundable: [{ line: 0, ItemID: 85571, numberOfItems: 2, amount: "3.48", name: exampleItem.name }],
      },
    },
  },
});
