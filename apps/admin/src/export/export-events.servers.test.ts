import { PassThrough } from "node:stream";
import { exampleEvents, type Domain, type EntryFields, type Event, type EventFiles } from "@tally/contract";
import { ledgerMigrations } from "@tally/database";
import { ownDatabase } from "@tally/database/own-database";
import { domains } from "@tally/domains";
import { expect, test, vi } from "vitest";
import { eventReader } from "../entries/event-reader.ts";
import { exportEvents, exportFormats } from "./export-events.ts";

const { connect } = ownDatabase();

const rows = 40_000;
// Made by the server while it sends them.
const select =
  "WITH RECURSIVE d (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 199) " +
  "SELECT UNHEX(LPAD(HEX(n), 32, '0')) AS id, n FROM (SELECT a.n * 200 + b.n AS n FROM d AS a, d AS b) AS numbers";
const id = "01a1fb30-2980-71ee-89cd-4f71757df440";
const files: EventFiles = {
  rows: { table: "", columns: [], selectFrom: () => select, eventOf: ([, n]) => Object.assign({ id }, { n }) },
  fields: { n: (event) => ("n" in event ? event.n : undefined) },
  order: "n",
  filters: {},
};

const all = { format: exportFormats.ndjson, selected: [], endpoint: "write" } as const;

test("an export waits for a slow reader: it never holds more than one chunk of lines, and loses none", async () => {
  const reader = new PassThrough();
  const lineBytes = `{"n":${rows},"idempotencyKey":"${id}"}\n`.length;
  // A chunk has up to 5,000 rows.
  const heldMax = 5000 * lineBytes + reader.writableHighWaterMark + reader.readableHighWaterMark;
  let progress = 0;
  const onProgress = (events: number) => (progress = events);
  const exported = exportEvents({ ...all, files, database: connect(), onProgress }, reader);
  const ended = exported.finally(() => reader.end());
  await vi.waitFor(() => expect(reader.writableNeedDrain).toBe(true), 20_000);
  // The database answers other statements meanwhile; the export does nothing.
  const { reader: other } = connect();
  for (let round = 0; round < 20; round++) await other.query("SELECT 1");
  expect(progress).toBe(0);
  let bytes = 0;
  let lines = 0;
  for await (const piece of reader) {
    const text: Buffer = piece;
    bytes += text.length;
    lines += text.filter((byte) => byte === 0x0a).length;
    expect(reader.writableLength + reader.readableLength).toBeLessThanOrEqual(heldMax);
    // Not more than the chunk that is read, and the next one.
    expect(progress - lines).toBeLessThanOrEqual(10_000);
    if (bytes % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect([await ended, progress, lines]).toEqual([rows, rows, rows]);
});

const withAllDomains = ownDatabase(
  [ledgerMigrations, "ledger"],
  ...domains.map(({ migrations, name }) => [migrations, name] as const),
);

test.each(domains)("$name: every field of an event is stored, read back and exported", async (domain) => {
  const database = withAllDomains.connect();
  const examples = domain.routes.flatMap((route) => Object.values(exampleEvents(route)).flat());
  const events = [...new Map(examples.map((event) => [event.id, event])).values()];
  const batch = { producer: "0123456789abcdef", sequence: 0 };
  const changes = events.map((event) => ({ event, batch }));
  await database.transaction((transaction) => domain.store.write(transaction, changes, () => expect.fail()));
  const byId = (found: readonly Event[]) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const ids = events.map((event) => event.id);
  expect(byId(await domain.store.read(database.writer, ids))).toEqual(byId(events));
  if (domain.files === undefined) return;

  const exported: Event[] = [];
  const entries: EntryFields[] = [];
  const read = eventReader(domain);
  const onEvent = (event: Event, own: EntryFields) => {
    const entry: EntryFields = JSON.parse(JSON.stringify(own));
    entries.push(entry);
    exported.push(Object.assign(read(entry, event.id), ...arrivalOf(domain, event)));
  };
  const options = { ...all, files: domain.files, database, onEvent, onProgress: () => undefined };
  await exportEvents(options, new PassThrough().resume());
  const fields = Object.keys(domain.files.fields);
  expect(fields.filter((name) => entries.every((entry) => entry[name] === undefined))).toEqual([]);
  // Corrections of purchases have no files.
  expect(byId(exported)).toEqual(byId(events.filter((event) => domain.name !== "purchases" || !("kind" in event))));
});

/** The fields of an event that its gateway fills in. */
function arrivalOf({ arrivalFields = [] }: Domain, event: Event) {
  return arrivalFields.map((name) => ({ [name]: Reflect.get(event, name) as unknown }));
}
