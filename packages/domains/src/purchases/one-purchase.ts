import { bytesOfEventId, fieldsOfEvent, NotFound, queryRoute } from "@tally/contract";
import { Type } from "typebox";
import { CorrectedSale } from "./correct.ts";
import { parseSaleId, SaleParams } from "./correction-routes.ts";
import { arrivalOf, exampleOfShown, ShownPurchase } from "./list-purchases.ts";
import { fields } from "./routes.ts";
import { LineTakenBack, lineOf, ShownCorrection, shownCorrection } from "./shown-correction.ts";
import { eventOfCorrection, purchaseTable, readCorrections } from "./store.ts";

/** GET /purchases/{eventID}: a purchase and what was taken back of it. */
export const onePurchase = queryRoute({
  path: "/purchases/:eventID",
  summary: "a purchase, its voids and refunds as they arrived, and what can still be refunded",
  description: "404 for one that is not stored, or whose month was removed",
  params: SaleParams,
  mayMiss: true,
  storeOfResponse: ({ storeID }) => storeID,
  response: Type.Object({
    ...ShownPurchase.properties,
    corrections: Type.Array(Type.Object({ ...ShownCorrection.properties, arrivedAt: Type.Optional(Type.String()) })),
    refundable: Type.Array(LineTakenBack),
  }),
  async respond({ params: { eventID } }, { rows }) {
    const id = parseSaleId(eventID);
    const [event] = await purchaseTable.read(rows, [id]);
    if (event === undefined) throw new NotFound("eventID", "the event id of a stored purchase", eventID);
    const sale = new CorrectedSale(event);
    const corrections = [...(await readCorrections(rows, [bytesOfEventId(id)])).values()];
    for (const one of corrections) sale.restore(eventOfCorrection(one), one.lines);
    return {
      eventID: id,
      ...fieldsOfEvent(fields, event),
      corrections: corrections.map((one) => Object.assign(shownCorrection(one), arrivalOf(one.storedAt))),
      refundable: sale.refundable.map(({ units, amount }, at) => lineOf(at, event.lines[at]?.[0] ?? 0, units, amount)),
    };
  },
  examples: {
    "a purchase without corrections": {
      params: { eventID: exampleOfShown.eventID },
      response: {
        ...exampleOfShown,
        corrections: [],
        refundable: [{ line: 0, ItemID: 85571, numberOfItems: 2, amount: "3.48" }],
      },
    },
  },
});
