import { DatabaseSync } from "node:sqlite";
import { connect } from "amqplib";

// node subscriber.ts FILE: keeps each sale, void, refund and alert in a local table, exactly once. It may be killed at any time.
// The broker delivers at least once, so the table knows each event id, and a delivery is acknowledged after the commit.

const { AMQP_URL = "amqp://127.0.0.1", NAMESPACE = "tally" } = process.env;
const exchange = `${NAMESPACE}.purchases`;
const queue = `${exchange}.feed.example`;

interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly items?: readonly { readonly ItemID: number; readonly numberOfItems: number }[] };
}

const database = new DatabaseSync(process.argv[2] ?? "purchases.sqlite");
database.exec(`
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS events (source TEXT, id TEXT, type TEXT, data TEXT, PRIMARY KEY (source, id));
  CREATE TABLE IF NOT EXISTS sold (store INTEGER, item INTEGER, units INTEGER, PRIMARY KEY (store, item))`);
const keep = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
const count = database.prepare(
  "INSERT INTO sold VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET units = units + excluded.units",
);
const signs = new Map([
  ["tally.purchases.sale.v1", 1],
  ["tally.purchases.void.v1", -1],
  ["tally.purchases.refund.v1", -1],
  ["tally.purchases.alert.v1", 0],
]);

function store(events: readonly CloudEvent[]): void {
  database.exec("BEGIN IMMEDIATE");
  for (const { source, id, type, subject, data } of events) {
    const sign = signs.get(type);
    // Another type, or an event that was delivered before.
    if (sign === undefined || keep.run(source, id, type, JSON.stringify(data)).changes === 0) continue;
    for (const { ItemID, numberOfItems } of data.items ?? []) count.run(Number(subject), ItemID, sign * numberOfItems);
  }
  database.exec("COMMIT");
}

const connection = await connect(AMQP_URL, { noDelay: true });
const channel = await connection.createChannel();
await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
await channel.bindQueue(queue, exchange, "batch.v1");
await channel.prefetch(16);
await channel.consume(queue, (message) => {
  if (message === null) throw new Error(`${queue} was deleted`);
  store(JSON.parse(message.content.toString()));
  channel.ack(message);
});
console.log("subscribed");
