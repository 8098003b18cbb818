import { listen } from "@tally/local/at-end";
import { expect, test } from "vitest";
import { compareBoards } from "./day-boards.ts";

test("an item's board is compared without the stores that had sales of its date before", async () => {
  // On the second date store 2 had sold the item before.
  const boards: Readonly<Record<string, object>> = {
    "/stores/1/top-items": { items: [{ itemID: 42, quantity: 3 }] },
    "/stores/2/top-items": { items: [] },
    "/items/42/top-stores 20261120": { stores: [{ storeID: 1, quantity: 3 }] },
    "/items/42/top-stores 20261121": {
      stores: [
        { storeID: 2, quantity: 9 },
        { storeID: 1, quantity: 3 },
      ],
    },
  };
  const { url } = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://gateway");
    const board = boards[pathname] ?? boards[`${pathname} ${searchParams.get("date")}`];
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(board));
  });
  const boardOf = (id: number, date: string, ...counts: (readonly [number, number])[]) =>
    ({ of: "store", id, date, by: "quantity", counts: new Map(counts) }) as const;
  const empty = [boardOf(1, "20261120", [42, 3]), boardOf(1, "20261121", [42, 3]), boardOf(2, "20261120")];
  expect(await compareBoards({ url, apiKey: undefined }, empty)).toEqual({ compared: 5, differing: [] });
});
