import { rmSync } from "node:fs";
import { lockFile } from "@tally/client/journal";
import type { Domain } from "@tally/contract";
import type { Progress } from "@tally/runtime/progress";
import { CommandError, usageError } from "../command.ts";
import { bulkRouteOf } from "../entries/entry-fields.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { nothingWritten, replaceFile, ResumedFile } from "./durable-files.ts";
import type { FileFormat, ImportLine } from "./file-format.ts";
import { stateToGoOn, type ImportState } from "./import-state.ts";
import { inspectFile, unchangedChunks, type Inspection } from "./inspect-file.ts";
import { sendLines, type Outcome } from "./send-lines.ts";

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

type Settle = (lines: readonly ImportLine[], outcomes: readonly Outcome[]) => void;

const batchLinesMax = 1000;
const stateEveryMs = 1000;

/** Imports from where an earlier import ended. A line's key is identity and number: sent twice, it is one event. */
export async function runImport(options: ImportOptions, progress: Progress): Promise<ImportResult> {
  const { file, stateFile } = options;
  const lock = `${stateFile}.lock`;
  const unlock = await lockFile(lock, (pid) =>
    usageError(`${file}: another import of this file runs (pid ${pid}); it holds ${lock}`),
  );
  try {
    return await importLocked(options, progress);
  } finally {
    await unlock();
  }
}

async function importLocked(options: ImportOptions, progress: Progress): Promise<ImportResult> {
  const { format, stateFile } = options;
  const inspection = await inspectFile(options, progress);
  const earlier = stateToGoOn(options, inspection);
  const rejectedFile = new ResumedFile(options.rejectedFile, earlier.rejectedContent, inspection.rejectedHead);
  const acknowledgedFile =
    options.acknowledgedFile === undefined
      ? undefined
      : new ResumedFile(options.acknowledgedFile, earlier.acknowledgedContent, "");
  let state = earlier;
  let savedAt = 0;
  // A state counts what is on disk, so that no crash leaves a state whose lines are in no file.
  const sync = (): void => {
    rejectedFile.sync();
    acknowledgedFile?.sync();
  };
  const save = (): void => {
    savedAt = performance.now();
    sync();
    replaceFile(stateFile, JSON.stringify(state));
  };
  const settle: Settle = (lines, outcomes) => {
    const rejected = lines.flatMap((line, index) => {
      const outcome = outcomes[index];
      return outcome !== undefined && "rejected" in outcome ? [format.rejectedLine(line, outcome.rejected)] : [];
    });
    rejectedFile.append(rejected.join(""));
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
  };
  save();
  try {
    await sendAll(options, inspection, state, settle, progress);
    sync();
    rmSync(stateFile, { force: true });
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

/** Sends several batches at once, and settles them in the order of the file. */
async function sendAll(
  { file, name, domain, format, gateway, concurrency, giveUpAfterMs, skippedLines }: ImportOptions,
  inspection: Inspection,
  { through, accepted, rejected }: ImportState,
  settle: Settle,
  progress: Progress,
): Promise<void> {
  const stop = new AbortController();
  let done = accepted + rejected;
  const onSettled = (): void => progress.show("importing, lines", ++done, inspection.lines);
  const { identity } = inspection;
  const { signal } = stop;
  const sending = { domain, gateway, identity, skippedLines, concurrency, giveUpAfterMs, signal, onSettled };
  // Single requests are parallel within a batch, and batches follow each other: entries of one scope keep their order.
  const batchesMax = bulkRouteOf(domain) === undefined ? 1 : concurrency;
  const underWay: { readonly lines: readonly ImportLine[]; readonly outcomes: Promise<readonly Outcome[]> }[] = [];
  async function settleFirst(): Promise<void> {
    const [first] = underWay;
    if (first === undefined) return;
    try {
      settle(first.lines, await first.outcomes);
      underWay.shift();
    } catch (error) {
      stop.abort(error);
      await Promise.allSettled(underWay.splice(0).map(({ outcomes }) => outcomes));
      throw error;
    }
  }
  try {
    const chunks = unchangedChunks(file, name, inspection);
    for await (const lines of batchesOf(format.lines({ file, chunks, domain }), through)) {
      const outcomes = sendLines(lines, sending);
      // It is awaited in its turn.
      outcomes.catch(() => undefined);
      if (underWay.push({ lines, outcomes }) >= batchesMax) await settleFirst();
    }
  } finally {
    // When the file cannot be read further, the state counts what was sent.
    while (underWay.length > 0) await settleFirst();
  }
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
