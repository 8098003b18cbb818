import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openJournal } from "../journal/open-journal.ts";
import { linesOf, resultsFor, startScriptedServer } from "../scripted-server.test-kit.ts";
import { temporaryDirectory } from "../temporary-directory.test-kit.ts";
import { createPurchaseSender, type PurchaseSenderOptions } from "./create-purchase-sender.ts";
import type { Purchase } from "./purchase-queue.ts";

const purchase = (custID: number): Purchase => ({ storeID: 7, custID, date: "20261120", items: [{ ItemID: 9 }] });

const newPath = async () => join(await temporaryDirectory(), "till.ndjson");

const open = async (path: string, baseUrl: string, options: Partial<PurchaseSenderOptions> = {}) =>
  createPurchaseSender({
    baseUrl,
    journal: await openJournal(path),
    firstDelayMs: 1,
    longestDelayMs: 4,
    onRejected: () => undefined,
    ...options,
  });

test("after a restart purchases are sent before new ones, in their order, with the same bytes and keys", async () => {
  const path = await newPath();
  let isAway = true;
  const { url, received } = await startScriptedServer((request) => (isAway ? "disconnect" : resultsFor(request)));
  const first = await open(path, url);
  const added = await Promise.all([1, 2, 3].map((custID) => first.add(purchase(custID))));
  await vi.waitFor(() => expect(received.some((request) => linesOf(request).length === 3)).toBe(true), 10_000);
  expect(await first.close({ withinMs: 0 })).toEqual({ waiting: 3 });
  const sent = received.map(linesOf).find(({ length }) => length === 3);
  isAway = false;
  received.length = 0;
  // What the first process left exceeds the bounds of the second one.
  const second = await open(path, url, { eventsMax: 1 });
  expect(second.waiting).toBe(3);
  await expect(second.add(purchase(4))).rejects.toMatchObject({ code: "BUFFER_FULL" });
  await second.flush();
  await second.add(purchase(4));
  expect(await second.close({ withinMs: 20_000 })).toEqual({ waiting: 0 });
  const lines = received.flatMap(linesOf);
  expect(lines.slice(0, 3)).toEqual(sent);
  const keys = lines.slice(0, 3).map((line) => [JSON.parse(line).custID, JSON.parse(line).idempotencyKey]);
  expect(keys).toEqual(added.map(({ idempotencyKey }, index) => [index + 1, idempotencyKey]));
  expect(lines).toHaveLength(4);
  expect(await readFile(path, "utf8")).toBe("");
});

test("only what is settled leaves the file, and a rejected purchase is kept beside it", async () => {
  const path = await newPath();
  const { url } = await startScriptedServer((request, index) => {
    if (index === 0) return { status: 503 };
    return index === 1 ? resultsFor(request, (_, entry) => [201, 400, 503][entry] ?? 201) : "silence";
  });
  const sender = await open(path, url);
  const added = await Promise.all([1, 2, 3].map((custID) => sender.add(purchase(custID))));
  expect(await added[1]?.settled).toEqual({ outcome: "rejected", status: 400, error: "error 400" });
  expect(await sender.close({ withinMs: 0 })).toEqual({ waiting: 1 });
  const journal = await openJournal(path);
  expect(journal.left.map(({ text }) => JSON.parse(text).custID)).toEqual([3]);
  await journal.close();
  expect(JSON.parse(await readFile(`${path}.rejected`, "utf8"))).toMatchObject({
    status: 400,
    error: "error 400",
    purchase: { custID: 2, idempotencyKey: added[1]?.idempotencyKey },
  });
});

test("a purchase that the journal cannot keep is not taken, not sent, and takes no place", async () => {
  const { url, received } = await startScriptedServer((request) => resultsFor(request));
  const journal = await openJournal(await newPath());
  // Writes fail from here on, as on a broken disk.
  await journal.close();
  const broken = { ...journal, close: async () => undefined };
  const sender = createPurchaseSender({ baseUrl: url, journal: broken, eventsMax: 1, onRejected: () => undefined });
  for (let n = 0; n < 3; n++) await expect(sender.add(purchase(n))).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
  expect([sender.waiting, received.length]).toEqual([0, 0]);
  expect(await sender.close()).toEqual({ waiting: 0 });
});

test("a journal that cannot forget is a problem, and purchases are delivered all the same", async () => {
  const path = await newPath();
  const { url } = await startScriptedServer((request) => resultsFor(request, () => 400));
  // The file of rejected purchases cannot be opened.
  await (await openJournal(join(`${path}.rejected`, "directory"))).close();
  const problems: unknown[] = [];
  const sender = await open(path, url, { onProblem: (problem) => problems.push(problem?.code) });
  const { settled } = await sender.add(purchase(1));
  expect(await settled).toEqual({ outcome: "rejected", status: 400, error: "error 400" });
  expect(await sender.close()).toEqual({ waiting: 0 });
  expect(problems).toEqual(["JOURNAL_FAILED"]);
  const journal = await openJournal(path);
  expect(journal.left).toHaveLength(1);
  await journal.close();
});
