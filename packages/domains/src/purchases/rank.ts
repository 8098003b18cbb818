import { smallBoard, wideBoard, type Change, type Moves } from "@tally/pipeline";
import type { PurchaseEvent } from "./event.ts";

/** The board of a store: its items by how many were sold. A supermarket has some ten thousand items. */
export function itemsOfStore(storeId: number): string {
  return wideBoard(`store:${storeId}`);
}

/** The board of an item: the stores by how many of it they sold. */
export function storesOfItem(itemId: number): string {
  return smallBoard(`item:${itemId}`);
}

/** Every line of a new purchase counts on two boards: in its store and for its item. */
export function rank(changes: readonly Change<PurchaseEvent>[], moves: Moves): void {
  for (const { event } of changes) {
    const store = String(event.storeId);
    const board = itemsOfStore(event.storeId);
    for (const [itemId, quantity] of event.lines) {
      moves.add(board, String(itemId), quantity);
      moves.add(storesOfItem(itemId), store, quantity);
    }
  }
}
