import type { Database } from "@tally/database";
import { expect, vi } from "vitest";
import type { Acknowledgements } from "./acknowledgements.ts";
import { readStored } from "./stored-rows.ts";

const shownMax = 60;

/** Waits until everything acknowledged is stored. */
export async function expectAllStored(database: Database, acknowledgements: Acknowledgements): Promise<void> {
  await vi.waitFor(async () => expectNone(acknowledgements.missing(await readStored(database))), {
    timeout: 30_000,
    interval: 250,
  });
}

/** Waits until everything acknowledged is stored; then it must be stored as it was sent, and nothing else may be. */
export async function expectPromiseKept(database: Database, acknowledgements: Acknowledgements): Promise<void> {
  await expectAllStored(database, acknowledgements);
  const stored = await readStored(database);
  expectNone(acknowledgements.differences(stored));
  // The database accepts what a gateway accepts.
  expect(stored.letters).toEqual([]);
}

/** Fails with the first of the faults that were found. */
export function expectNone(found: readonly string[]): void {
  expect({ count: found.length, first: found.toSorted().slice(0, shownMax) }).toEqual({ count: 0, first: [] });
}
