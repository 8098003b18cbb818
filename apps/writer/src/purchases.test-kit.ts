import { randomBytes } from "node:crypto";
import { ownDatabase } from "@tally/database/own-database";
import { beforeAll, expect, inject, onTestFinished, vi } from "vitest";
import { addDomains, deadLetterMigrations, ledgerMigrations, retentionMigrations } from "@tally/database";
import { domains } from "@tally/domains";
import { connectPublisher, type Delivery } from "@tally/broker";
import { defaultSeries, encodeBatch, encodeEvent, newEventId, queuesOf, writerChannels } from "@tally/contract";
import type { BatchId, Domain, Event, SeriesSettings, SqlReader } from "@tally/contract";
import { silentLog } from "@tally/runtime";
import { openTracer } from "@tally/telemetry";
import { BatchWriter, type StoredFigures } from "./batch-writer.ts";
import { letterKeeper } from "./rejected-events.ts";
import type { LineLimits } from "./waiting-line.ts";

const found = domains.find(({ name }) => name === "purchases");
if (found === undefined) throw new Error("there is no domain purchases");
export const purchases = found;

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

interface WriterOptions extends Partial<LineLimits> {
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
    ...limits
  }: WriterOptions = {},
) {
  const database = own.connect({ writeUrl });
  const queues = queuesOf(`t${randomBytes(6).toString("hex")}`, purchases.name);
  const publisher = connectPublisher({
    url: inject("services").amqpUrl,
    connectionName: "test",
    queues: Object.values(queues),
    log: silentLog,
  });
  onTestFinished(() => publisher.close());
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
    rankingShards: 1,
    series,
    line: { eventsPerTransaction: 100, bytesPerTransaction: 1_000_000, prefetch: 16, ...limits },
    transactionEveryMs,
    signal,
    log: silentLog,
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
      await vi.waitFor(() => expect(acknowledged).toBe(expected), { timeout: 10_000, interval: 5 });
      await writer.drain();
    },
  };
}

/** Two pieces of item 5, sold in a store. */
export function sale(storeId: number, more: object = {}): Event {
  const fields = { storeId, customerId: 1, date: 20261120, lines: [[5, 2]] };
  return { id: newEventId(), ...fields, ...more };
}

/** A sale that passes the schema, in which a date is a number, and that no database stores. */
export function poison(storeId: number): Event {
  return sale(storeId, { date: 20260230 });
}

export function bodyOf(events: readonly Event[], id: BatchId = newBatchId()): Buffer {
  return encodeBatch(id, Date.now(), events.map(encodeEvent), 1);
}

export function newBatchId(): BatchId {
  return { producer: randomBytes(8).toString("hex"), sequence: 0 };
}

export function deliveryOf(body: Buffer, ack: () => void = () => undefined): Delivery {
  const settle = () => undefined;
  return { body, messageId: "m", redelivered: false, headers: {}, lost: false, ack, reject: settle, giveBack: settle };
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
