import { existsSync, createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, rmdir, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncDirectory } from "@tally/client/journal";
import type { Database, ExportedMonth } from "@tally/database";
import { contentOf, InvalidInput, type Domain, type EntryFields, type Event } from "@tally/contract";
import { PassThrough, type Writable } from "node:stream";
import { CommandError, usageError } from "../command.ts";
import { eventReader } from "../entries/event-reader.ts";
import { writeCompleteFile, exportEvents, exportFormats } from "../export/export-events.ts";
import { createHash } from "node:crypto";

/** A domain whose old months can be exported and removed. */
export type RetainedDomain = Domain & Required<Pick<Domain, "retention" | "files">>;

interface ExportMonthOptions {
  readonly domain: RetainedDomain;
  readonly month: string;
  readonly directory: string;
  readonly database: Database;
  readonly onProgress: (events: number) => void;
}

/** Exports the leaving rows, or compares them with an earlier file. Returns when the file on disk has all. */
export async function exportMonth(options: ExportMonthOptions): Promise<ExportedMonth> {
  const { domain, month, directory, database, onProgress } = options;
  const { files, name } = domain;
  const { leaving: table } = domain.retention;
  await expectKnownColumns(database, table, files.rows.columns);
  await mkdir(directory, { recursive: true });
  const fileName = `${name}-${month}.ndjson`;
  const path = resolve(directory, fileName);
  await removePartial(directory, fileName);
  const written = createHash("sha256");
  const onText = (text: string): void => void written.update(text);
  const exporting = { files, table, format: exportFormats.ndjson, selected: [], endpoint: "write", database } as const;
  const write = (stream: Writable): Promise<number> =>
    exportEvents({ ...exporting, onEvent: lineChecker(domain), onText, onProgress }, stream);

  if (existsSync(path)) await write(new PassThrough().resume());
  else await writeCompleteFile(path, write);
  // A killed command may have left the file.
  await syncDirectory(path);
  const found = await sumOfFile(path);
  const events = await countRows(database, table);
  if (found.sha256 !== written.digest("hex") || found.lines !== events) {
    throw new CommandError(
      `${path}: expected the ${events} ${name} of ${month}, found other content (${found.lines} lines); ` +
        "move the file away and run the command again",
    );
  }
  return { events: found.lines, file: path, sha256: found.sha256 };
}

const selectColumns =
  "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?";

/** A later release may have added a column, whose values this one would not export. */
async function expectKnownColumns(database: Database, table: string, known: readonly string[]): Promise<void> {
  const columns = await database.writer.query<{ name: string }>(selectColumns, [table]);
  const unknown = columns.find(({ name }) => !known.includes(name));
  if (unknown === undefined) return;
  throw new CommandError(
    `${table}.${unknown.name}: expected no column that this version does not export; no row was removed`,
  );
}

/** Throws a CommandError for a line that does not make its event again. About 15 µs for a purchase. */
function lineChecker(domain: RetainedDomain): (event: Event, entry: EntryFields) => void {
  const read = eventReader(domain);
  const contentIn = (event: Event): string => contentOf(event, domain.arrivalFields);
  return (event, entry) => {
    const problem = (): string | undefined => {
      try {
        const [stored, exported] = [contentIn(event), contentIn(read(JSON.parse(JSON.stringify(entry)), event.id))];
        return stored === exported ? undefined : `expected ${stored.slice(0, 200)}, got ${exported.slice(0, 200)}`;
      } catch (error) {
        if (error instanceof InvalidInput) return error.message;
        throw error;
      }
    };
    const wrong = problem();
    if (wrong === undefined) return;
    throw new CommandError(
      `${domain.name} ${event.id}: its exported line does not make the stored event again (${wrong}); no row was removed`,
    );
  };
}

/** Removes the files of runs that were killed. No other run writes: it would need the lock of retention. */
async function removePartial(directory: string, name: string): Promise<void> {
  const partial = (await readdir(directory)).filter((file) => file.startsWith(`${name}.`) && file.endsWith(".partial"));
  await Promise.all(partial.map((file) => rm(join(directory, file))));
}

/** As a stream, which may be silent for half an hour: a month of a hundred million rows takes minutes. */
async function countRows(database: Database, table: string): Promise<number> {
  return database.snapshot("write", async (snapshot) => {
    let counted = 0;
    for await (const rows of snapshot.stream(`SELECT COUNT(*) FROM ${table}`)) {
      for (const [count] of rows) counted += Number(count);
    }
    return counted;
  });
}

// The types of tmpfs and ramfs (statfs(2)).
const inMemory = new Set([0x0102_1994, 0x8584_58f6]);

/** Creates the directory. Throws for one that cannot be written, and a CommandError for one in memory: its files become
 * the only copy of the rows. */
export async function directoryOnDisk(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await rmdir(await mkdtemp(join(directory, "tally-"))); // May it be written?
  if (!inMemory.has((await statfs(directory)).type)) return;
  throw usageError(`--export: expected a directory on a disk, got ${directory}, which is in memory`);
}

async function sumOfFile(path: string): Promise<{ readonly lines: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let lines = 0;
  for await (const piece of createReadStream(path)) {
    const chunk: Buffer = piece;
    hash.update(chunk);
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) lines++;
  }
  return { lines, sha256: hash.digest("hex") };
}
