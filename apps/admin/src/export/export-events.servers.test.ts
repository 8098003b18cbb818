import { PassThrough } from "node:stream";
import type { EventFiles } from "@tally/contract";
import { ownDatabase } from "@tally/database/own-database";
import { expect, test, vi } from "vitest";
import { exportEvents } from "./export-events.ts";
import { exportFormats } from "./export-format.ts";

const { connect } = ownDatabase();

const rows = 40_000;
// Made by the server while it sends them.
const files: EventFiles = {
  fields: ["n"],
  select:
    "WITH RECURSIVE d (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 199) " +
    "SELECT UNHEX(LPAD(HEX(n), 32, '0')) AS id, n FROM (SELECT a.n * 200 + b.n AS n FROM d AS a, d AS b) AS numbers",
  order: "n",
  filters: {},
};

test("an export waits for a slow reader: it never holds more than one chunk of lines, and loses none", async () => {
  const reader = new PassThrough();
  const lineBytes = `{"n":${rows},"idempotencyKey":"01a1fb30-2980-71ee-89cd-4f71757df440"}\n`.length;
  // A chunk has up to 5,000 rows.
  const heldMax = 5000 * lineBytes + reader.writableHighWaterMark + reader.readableHighWaterMark;
  let progress = 0;
  const exported = exportEvents(
    {
      files,
      format: exportFormats.ndjson,
      selected: [],
      endpoint: "read",
      database: connect(),
      onProgress: (events) => (progress = events),
    },
    reader,
  );
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
