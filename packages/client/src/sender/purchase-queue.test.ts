import { expect, test } from "vitest";
import { headOf } from "./send-bulk.ts";
import { PurchaseQueue, type WaitingPurchase } from "./purchase-queue.ts";

const of = (number: number): WaitingPurchase => ({ number, text: "x".repeat(10), bytes: 10, settle: () => undefined });

test("a place counts from its reservation on, and is free again when it is given back or its purchase leaves", () => {
  const queue = new PurchaseQueue({ eventsMax: 4, bytesMax: 50 }, [of(1), of(2), of(3)]);
  queue.reserve(10);
  expect(() => queue.reserve(10)).toThrow("the sender's buffer is full: it holds 4 events");
  queue.release(10);
  queue.reserve(10);
  queue.push(of(4));
  queue.remove(2, []);
  expect([queue.events, queue.purchases.length]).toEqual([2, 2]);
  expect(() => queue.reserve(31)).toThrow("it holds 20 of 50 bytes, the purchase has 31");
  queue.reserve(30);
});

test("purchases that stay are the oldest, in their order", () => {
  const all = [of(1), of(2), of(3), of(4)];
  const queue = new PurchaseQueue({ eventsMax: 4, bytesMax: 50 }, all);
  queue.remove(3, all.slice(1, 3));
  expect(queue.purchases).toEqual(all.slice(1));
});

test("a purchase that is larger than a request may be is sent alone", () => {
  const all = [of(1), of(2)];
  expect(headOf(all, { entriesMax: 100, bytesMax: 1 })).toEqual(all.slice(0, 1));
});

test("what an earlier process left is there even where it exceeds the bounds", () => {
  const queue = new PurchaseQueue({ eventsMax: 1, bytesMax: 5 }, [of(1), of(2)]);
  expect(queue.events).toBe(2);
  expect(() => queue.reserve(1)).toThrow("buffer is full");
});
