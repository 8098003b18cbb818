import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { beforeAll, expect, inject, onTestFinished, vi } from "vitest";
import { addDomains, deadLetterMigrations, ledgerMigrations, retentionMigrations } from "@tally/database";
import { domains } from "@tally/domains";
import type { Delivery } from "@tally/broker";
import { openPublisher } from "@tally/broker/own-broker";
import { batchDecoder, defaultSeries, encodeBatch, encodeEvent, newEventId, queuesOf } from "@tally/contract";
import { writerChannels, type BatchId, type Domain, type Event, type Sources } from "@tally/contract";
import type { SeriesSettings, SqlReader, SqlTransaction } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { silentLog } from "@tally/runtime";
import { openTracer } from "@tally/telemetry";
import { BatchWriter, type BatchWriterOptions, type StoredFigures } from "./batch-writer.ts";
import { receive } from "./received-batch.ts";
import { letterKeeper } from "./rejected-events.ts";
import { storeBatches } from "./store-batches.ts";
import type { LineLimits } from "./waiting-line.ts";

export const purchases = domains.find(({ name }) => name === "purchases") ?? expect.fail("no domain purchases");

/** A database of this test file with the tables that a writer of purchases needs. */
export function purchasesDatabase() {
  const { name, migrations } = purchases;
  const own = ownDatabase(
    [ledgerMigrations, "ledger"],
    [deadLetterMigrations, "dead-letters"],
    [retentionMigrations, "retention"],
    [migrations, name],
  );
  beforeAll(() => own.connect().transaction((transaction) => addDomains(transaction, [name])));
  return own;
}

interface WriterOptions extends Partial<LineLimits>, Partial<Pick<BatchWriterOptions, "feed" | "log">> {
  readonly writeUrl?: string;
  readonly transactionEveryMs?: number;
  readonly series?: SeriesSettings;
  readonly domain?: Domain;
}

/** A writer with its own queues, its ranking messages, and a record of its actions in order. */
export async function openWriter(
  own: ReturnType<typeof purchasesDatabase>,
  {
    writeUrl = own.writeUrl,
    transactionEveryMs = 10,
    series = defaultSeries,
    domain = purchases,
    log = silentLog,
    feed,
    ...limits
  }: WriterOptions = {},
) {
  const database = own.connect({ writeUrl });
  const queues = queuesOf(`t${randomBytes(6).toString("hex")}`, purchases.name);
  const { publisher } = openPublisher(inject("services").amqpUrl, Object.values(queues));
  await publisher.ready;
  const tracer = await openTracer({ app: "writer", endpoint: "", log: silentLog });
  const messages: Buffer[] = [];
  const steps: string[] = [];
  const figures: StoredFigures[] = [];
  const onCommit = () => void steps.push("committed");
  writerChannels.afterCommit.subscribe(onCommit);
  onTestFinished(() => writerChannels.afterCommit.unsubscribe(onCommit));
  const stopping = new AbortController();
  const { signal } = stopping;
  const writer = new BatchWriter({
    domain,
    database,
    publisher: {
      ...publisher,
      async publish(message) {
        const outcome = await publisher.publish(message);
        messages.push(message.body);
        steps.push(`${outcome} ${message.messageId}`);
        return outcome;
      },
    },
    keeper: letterKeeper(database, silentLog, signal, () => undefined),
    ingestQueue: queues.ingest.name,
    rankQueue: queues.rank.name,
    feed,
    rankingShards: 1,
    series,
    line: { eventsPerTransaction: 100, bytesPerTransaction: 1_000_000, prefetch: 16, ...limits },
    transactionEveryMs,
    signal,
    log,
    tracer,
    onStored: (one) => figures.push(one),
    onAnnounced: () => undefined,
  });
  let acknowledged = 0;
  return {
    database,
    publisher,
    writer,
    stopping,
    queues,
    messages,
    steps,
    figures,
    /** Takes deliveries within one turn, and resolves when all are acknowledged. */
    take: async (...bodies: readonly Buffer[]): Promise<void> => {
      const expected = acknowledged + bodies.length;
      const ack = () => {
        acknowledged++;
        steps.push("acknowledged");
      };
      for (const body of bodies) writer.take(deliveryOf(body, ack));
      await vi.waitFor(() => expect(acknowledged).toBe(expected), { timeout: 60_000, interval: 5 });
      await writer.drain();
    },
  };
}

/** Two pieces of item 5, sold in a store. */
export function sale(storeId: number, more: object = {}): Event {
  const fields = { storeId, customerId: 1, date: 20261120, lines: [[5, 2]] };
  return { id: newEventId(), ...fields, ...more };
}

export function bodyOf(events: readonly Event[], id: BatchId = newBatchId(), createdAt = Date.now()): Buffer {
  return encodeBatch(id, createdAt, events.map(encodeEvent), 1);
}

const decode = batchDecoder(purchases.event, purchases.eventVersion);
export const receivedOf = (body: Buffer, redelivered = false) => receive(decode, { ...deliveryOf(body), redelivered });

/** Stores batches in a transaction, without a writer. */
export const storeIn = (
  transaction: SqlTransaction,
  bodies: readonly Buffer[],
  { domain = purchases, folded = new Set<string>(), series = defaultSeries } = {},
) => {
  const received = bodies.map((body) => receivedOf(body));
  const ranked = { ingestQueue: "q", rankingShards: 2, series };
  return storeBatches(transaction, domain, received, ranked, folded);
};

/** What queries read: rows, and boards. */
export function sourcesOf(rows: SqlReader, { top, whole }: Pick<Rankings, "top" | "whole">): Sources {
  const read: Sources["read"] = async (what, key) =>
    what.ofRows(await rows.query(what.select, what.values?.(key) ?? [[key]]), key);
  const boards: Sources["boards"] = {
    top: (board, limit) => top(purchases.name, board, limit),
    count: () => expect.fail(),
    whole: (of) => whole(purchases.name, of),
  };
  const stream: Sources["stream"] = async (sql, values, take) =>
    take((await rows.query(sql, values)).map((row) => Object.values(row)));
  return { rows, boards, read, stream, readNewest: read, readKept: () => undefined, find: () => expect.fail() };
}

export async function get(path: string, params: object, query: object, sources: Sources): Promise<unknown> {
  const route = purchases.queries.find((one) => one.path === path);
  return route?.kind === "query" ? route.respond({ params, query }, sources) : expect.fail(path);
}

/** Like `get`. Repeats the query when a board took over 400 ms, because it then may have answered without it. */
export async function getLive(...[path, params, query, sources]: Parameters<typeof get>): Promise<unknown> {
  let isLate = false;
  const whole: Sources["boards"]["whole"] = async (of) => {
    const askedAt = performance.now();
    isLate = true;
    return sources.boards.whole(of).finally(() => (isLate = performance.now() - askedAt > 400));
  };
  const live = { ...sources, boards: { ...sources.boards, whole } };
  const found = await get(path, params, query, live).catch((error: unknown) => {
    if (!isLate) throw error;
  });
  return isLate ? getLive(path, params, query, sources) : found;
}

export function newBatchId(): BatchId {
  return { producer: randomBytes(8).toString("hex"), sequence: 0 };
}

export function deliveryOf(body: Buffer, ack: () => void = () => undefined): Delivery {
  const settle = () => undefined;
  return { body, messageId: "m", redelivered: false, headers: {}, lost: false, ack, reject: settle };
}

/** The ids of a store's rows. */
export async function rowsOf(reader: SqlReader, storeId: number): Promise<readonly string[]> {
  const rows = await reader.query<{ id: Buffer }>("SELECT id FROM purchases WHERE store_id = ? ORDER BY id", [storeId]);
  return rows.map(({ id }) => id.toString("hex"));
}

/** An event id as rowsOf returns it. */
export function hexOf({ id }: Event): string {
  return id.replaceAll("-", "");
}

const numbers = ["$[1]", "$[2]", "$[3]"].map((path, at) => `n${at + 1} BIGINT PATH '${path}'`).join();
const linesOf = (table: string): string =>
  `${table}, JSON_TABLE(items, '$[*]' COLUMNS (item BIGINT PATH '$[0]', ${numbers})) AS line`;

/** What sold from a day to another one, by every measure. A line of a sale has its price and discount, what is taken
 * back the net and perhaps the gross amount. */
export const sumsOfRows = (by: "store_id, item" | "store_id, item, day"): string => `
  SELECT store_id AS storeID, item AS itemID, DATE_FORMAT(MIN(day), '%Y%m%d') AS day,
    CAST(SUM(quantity) AS SIGNED) AS quantity, CAST(SUM(gross) AS SIGNED) AS grossSales,
    CAST(SUM(net) AS SIGNED) AS netSales
  FROM (
    SELECT store_id, purchased_on AS day, item, n1 AS quantity, COALESCE(n1 * n2, 0) AS gross,
      COALESCE(n1 * n2 - n3, 0) AS net FROM ${linesOf("purchases")}
    UNION ALL
    SELECT store_id, counted_on, item, n1, COALESCE(n3, 0), COALESCE(n2, 0) FROM ${linesOf("purchase_corrections")}
  ) AS counted WHERE day BETWEEN ? AND ? GROUP BY ${by}`;

export interface Sum extends Readonly<Record<"storeID" | "itemID" | "quantity" | "grossSales" | "netSales", number>> {
  readonly day: string;
}
