import type { Change, Moves } from "@tally/pipeline";
import type { PurchaseEvent } from "./event.ts";

/** The board of a store: its items by how many were sold. */
export function itemsOfStore(storeId: number | string): string {
  return `store:${storeId}`;
}

/** The board of an item: its stores by how many they sold. */
export function storesOfItem(itemId: number | string): string {
  return `item:${itemId}`;
}

/** Each line of a new purchase counts on two boards: that of its store and that of its item. */
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
