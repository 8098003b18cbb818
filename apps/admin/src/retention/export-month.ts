import { existsSync } from "node:fs";
import { mkdir, readdir, rm, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Database, ExportedMonth } from "@tally/database";
import type { EventFiles, Retention } from "@tally/contract";
import type { Writable } from "node:stream";
import { CommandError, usageError } from "../command-error.ts";
import { writeCompleteFile } from "../export/complete-file.ts";
import { exportEvents } from "../export/export-events.ts";
import { exportFormats } from "../export/export-format.ts";
import { syncDirectoryOf } from "../import/durable-files.ts";
import { summing, sumOfFile, type FileSum } from "./file-sum.ts";

export interface ExportMonthOptions {
  readonly domain: string;
  readonly files: EventFiles;
  readonly retention: Pick<Retention, "leaving" | "selectLeaving">;
  readonly month: string;
  readonly directory: string;
  readonly database: Database;
  readonly onProgress: (events: number) => void;
}

/**
 * Writes the leaving rows to DIRECTORY/DOMAIN-MONTH.ndjson, as `tally export` does, and reads the file again. A complete file of an earlier run is
 * compared with the rows instead. Returns only when the file is on disk and has all rows. Throws a CommandError otherwise, and DatabaseError.
 */
export async function exportMonth(options: ExportMonthOptions): Promise<ExportedMonth> {
  const { domain, files, retention, month, directory, database, onProgress } = options;
  await mkdir(directory, { recursive: true });
  const name = `${domain}-${month}.ndjson`;
  const path = resolve(directory, name);
  await removePartial(directory, name);
  const write = async (target?: Writable): Promise<FileSum> => {
    const { stream, end } = summing(target);
    const format = exportFormats.ndjson;
    const leaving = { ...files, select: retention.selectLeaving };
    await exportEvents({ files: leaving, format, selected: [], endpoint: "write", database, onProgress }, stream);
    return end();
  };

  let written: FileSum | undefined;
  if (existsSync(path)) written = await write();
  else {
    await writeCompleteFile(path, async (stream) => {
      written = await write(stream);
    });
  }
  // Also of a file that a killed command has left.
  syncDirectoryOf(path);
  const found = await sumOfFile(path);
  const events = await countRows(database, retention.leaving);
  const isComplete = found.sha256 === written?.sha256 && found.lines === events;
  if (!isComplete) {
    throw new CommandError(
      `${path}: expected the ${events} ${domain} of ${month}, found other content (${found.lines} lines); move the file away and run the command again`,
    );
  }
  return { events: found.lines, file: path, sha256: found.sha256 };
}

/** Of runs that were killed. No other run writes: it would need the lock of retention. */
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

/**
 * Creates the directory. Throws a CommandError for one in memory: its files become the only copy of rows that are removed, and a container's
 * temporary directory ends with it.
 */
export async function directoryOnDisk(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  if (!inMemory.has((await statfs(directory)).type)) return;
  const wrong = `--export: expected a directory on a disk, got ${directory}, which is in memory`;
  throw usageError(wrong);
}
