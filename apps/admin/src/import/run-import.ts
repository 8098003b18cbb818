import { lockFile } from "@tally/client/journal";
import type { Domain } from "@tally/contract";
import { CommandError } from "../command-error.ts";
import { bulkRouteOf } from "../entries/entry-fields.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Progress } from "@tally/runtime/progress";
import type { FileFormat } from "./file-format.ts";
import type { ImportLine, Outcome } from "./import-line.ts";
import { removeState, writeState, type ImportState } from "./import-state.ts";
import { inspectFile, type Inspection } from "./inspect-file.ts";
import { nothingWritten, ResumedFile } from "./resumed-file.ts";
import { bulkSender } from "./send-bulk.ts";
import { sendBatch } from "./send-batch.ts";
import { singleSender } from "./send-single.ts";
import { SettledLines } from "./settled-lines.ts";
import { stateToGoOn } from "./state-to-go-on.ts";
import { unchangedChunks } from "./unchanged-chunks.ts";

export interface ImportOptions {
  readonly file: string;
  readonly domain: Domain;
  readonly format: FileFormat;
  readonly gateway: Gateway;
  /** Identifies the file instead of its content. */
  readonly name: string | undefined;
  readonly rejectedFile: string;
  /** Where the ids of accepted events are written; undefined: nowhere. */
  readonly acknowledgedFile: string | undefined;
  readonly stateFile: string;
  /** Requests at once. */
  readonly concurrency: number;
  /** How long one request may fail before the import ends. */
  readonly giveUpAfterMs: number;
  /** Numbers of lines that are not sent, but rejected. */
  readonly skippedLines: ReadonlySet<number>;
}

export interface ImportResult {
  readonly lines: number;
  readonly accepted: number;
  readonly rejected: number;
  /** The first line that was sent; 0: the import went on after this line. */
  readonly resumedAfterLine: number;
  /** New names of files that had the name of a file that this import wrote. */
  readonly renamed: readonly string[];
}

const batchLinesMax = 1000;
const stateEveryMs = 1000;

/**
 * Imports a file from where an earlier import ended. Keys are made of the file's identity and the number of each line, so a line that is sent
 * twice is one event. Holds a few thousand lines in memory. Throws a CommandError when it cannot go on; what was settled is kept in the state.
 * One import at a time uses the state: `<stateFile>.lock`.
 */
export async function runImport(options: ImportOptions, progress: Progress): Promise<ImportResult> {
  const { file, stateFile } = options;
  const lock = `${stateFile}.lock`;
  const unlock = await lockFile(
    lock,
    (pid) =>
      new CommandError(`${file}: another import of this file runs (pid ${pid}); it holds ${lock}`, exitCodes.usage),
  );
  try {
    return await importLocked(options, progress);
  } finally {
    await unlock();
  }
}

async function importLocked(options: ImportOptions, progress: Progress): Promise<ImportResult> {
  const { file, format, stateFile } = options;
  const inspection = await inspectFile(options, progress);
  const earlier = stateToGoOn(options, inspection);
  const rejectedFile = new ResumedFile(options.rejectedFile, earlier.rejectedContent, await format.rejectedHead(file));
  const acknowledgedFile =
    options.acknowledgedFile === undefined
      ? undefined
      : new ResumedFile(options.acknowledgedFile, earlier.acknowledgedContent, "");
  let state = earlier;
  let savedAt = performance.now();
  // A state counts what is on disk, so that no crash leaves a state whose lines are in no file.
  const sync = (): void => {
    rejectedFile.sync();
    acknowledgedFile?.sync();
  };
  const save = (): void => {
    savedAt = performance.now();
    sync();
    writeState(stateFile, state);
  };
  const settled = new SettledLines(({ lines, outcomes }) => {
    const rejected = lines.flatMap((line, index) => reasonOf(line, outcomes[index]));
    rejectedFile.append(rejected.map(({ line, reason }) => format.rejectedLine(line, reason)).join(""));
    acknowledgedFile?.append(outcomes.flatMap((outcome) => ("id" in outcome ? [`${outcome.id}\n`] : [])).join(""));
    state = {
      ...state,
      through: lines.at(-1)?.number ?? state.through,
      accepted: state.accepted + lines.length - rejected.length,
      rejected: state.rejected + rejected.length,
      rejectedContent: rejectedFile.content,
      acknowledgedContent: acknowledgedFile?.content ?? nothingWritten,
    };
    if (performance.now() - savedAt > stateEveryMs) save();
  });
  save();
  try {
    await sendAll(options, inspection, state, settled, progress);
    sync();
    removeState(stateFile);
  } catch (error) {
    save();
    if (!(error instanceof CommandError)) throw error;
    const kept = `${state.accepted} lines are accepted, ${state.rejected} rejected; the same command goes on after line ${state.through}`;
    throw new CommandError(`${error.message}\n${kept}`, error.exitCode);
  } finally {
    rejectedFile.close();
    acknowledgedFile?.close();
  }
  const { accepted, rejected } = state;
  const renamed = [rejectedFile.earlier, acknowledgedFile?.earlier].filter((path) => path !== undefined);
  return { lines: inspection.lines, accepted, rejected, resumedAfterLine: earlier.through, renamed };
}

async function sendAll(
  { file, name, domain, format, gateway, concurrency, giveUpAfterMs, skippedLines }: ImportOptions,
  inspection: Inspection,
  { through, accepted, rejected }: ImportState,
  settled: SettledLines,
  progress: Progress,
): Promise<void> {
  const { identity, lines: total } = inspection;
  const bulk = bulkRouteOf(domain);
  // Single requests are parallel within a batch, and batches follow each other: see singleSender.
  const send = bulk === undefined ? singleSender(domain, concurrency) : bulkSender(bulk);
  const batchesMax = bulk === undefined ? 1 : concurrency;
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let done = accepted + rejected;
  const onSettled = (entries: number): void => progress.show("importing, lines", (done += entries), total);
  const sending = { gateway, giveUpAfterMs, signal: stop.signal, onSettled };
  let index = 0;
  try {
    for await (const lines of batchesOf(format.lines(file, unchangedChunks(file, name, inspection), domain), through)) {
      // Bounds the batches that wait for an earlier one.
      while (running.size >= batchesMax || index - settled.next > 2 * batchesMax) await Promise.race(running);
      if (stop.signal.aborted) break;
      const own = index++;
      const work = sendBatch(send, lines, { identity, skippedLines }, sending)
        .then((outcomes) => settled.add(own, { lines, outcomes }))
        // The first failure ends the others; it is thrown below.
        .catch((error: unknown) => stop.abort(error));
      const tracked = work.finally(() => running.delete(tracked));
      running.add(tracked);
    }
  } finally {
    // Also when the file cannot be read further: the state then counts what was sent.
    await Promise.all(running);
  }
  if (stop.signal.aborted) throw stop.signal.reason;
}

function reasonOf(line: ImportLine, outcome: Outcome | undefined) {
  return outcome !== undefined && "rejected" in outcome ? [{ line, reason: outcome.rejected }] : [];
}

async function* batchesOf(lines: AsyncIterable<ImportLine>, through: number): AsyncGenerator<readonly ImportLine[]> {
  let batch: ImportLine[] = [];
  for await (const line of lines) {
    if (line.number <= through) continue;
    if (batch.push(line) < batchLinesMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
