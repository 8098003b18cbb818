import { existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { lockFile } from "@tally/client/journal";
import type { Progress } from "@tally/runtime/progress";
import { CommandError, usageError } from "../command.ts";
import { bulkRouteOf } from "../entries/entry-fields.ts";
import { formatOf, type ImportLine } from "./file-format.ts";
import { inspectFile, unchangedChunks, type Inspection } from "./inspect-file.ts";
import { OutputFile } from "./output-file.ts";
import { sendLines, type Outcome, type SendOptions } from "./send-lines.ts";

interface ImportOptions extends SendOptions {
  readonly file: string;
  /** Where the ids of accepted events are written; undefined: nowhere. */
  readonly acknowledgedFile: string | undefined;
}

/** The files that an import writes beside its own. */
const filesOf = (file: string) => ({
  rejectedFile: `${file}.rejected${formatOf(file).extension}`,
  /** Exists from the beginning of an import until its end, and has the identity of the content. */
  beganFile: `${file}.import-began`,
  /** Exists while an import of the file runs. */
  lock: `${file}.import-began.lock`,
});

type Settle = (lines: readonly ImportLine[], outcomes: readonly Outcome[]) => void;

const batchLinesMax = 1000;

/** Sends all lines. A line's key is the identity of the content and its number: sent twice, it is one event. Throws a
 * CommandError while another import of the file runs: both would write the same files. */
export async function runImport(options: ImportOptions, progress: Progress) {
  const { file, acknowledgedFile } = options;
  const files = filesOf(file);
  const { lock } = files;
  if (!statSync(file).isFile()) throw usageError(`${file}: expected a regular file`);
  const own = [file, ...Object.values(files)].map((path) => resolve(path));
  if (acknowledgedFile !== undefined && own.includes(resolve(acknowledgedFile)))
    throw usageError(`--acknowledged: expected another file than ${acknowledgedFile}, which the import uses itself`);
  for (const path of [...Object.values(files), acknowledgedFile ?? []].flat())
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw usageError(`${path}: expected a regular file, no link or device: the import writes it`);
  const unlock = await lockFile(lock, (pid) =>
    usageError(`${file}: process ${pid} imports this file already. Wait until it ends, or stop it`),
  );
  try {
    return await importLines(options, progress);
  } finally {
    await unlock();
  }
}

async function importLines(options: ImportOptions, progress: Progress) {
  const format = formatOf(options.file);
  const { beganFile, rejectedFile: rejectedPath } = filesOf(options.file);
  const inspection = await inspectFile(options.file, options.domain, progress);
  if (options.domain.files?.isConfiguration !== true) noteBegin(options, beganFile, inspection);
  const rejectedFile = new OutputFile(rejectedPath, inspection.rejectedHead);
  const acknowledgedFile =
    options.acknowledgedFile === undefined ? undefined : new OutputFile(options.acknowledgedFile, "");
  let [accepted, rejected] = [0, 0];
  const settle: Settle = (lines, outcomes) => {
    const rejectedLines = lines.flatMap((line, index) => {
      const outcome = outcomes[index];
      return outcome !== undefined && "rejected" in outcome ? [format.rejectedLine(line, outcome.rejected)] : [];
    });
    rejectedFile.append(rejectedLines.join(""));
    acknowledgedFile?.append(outcomes.flatMap((outcome) => ("id" in outcome ? [`${outcome.id}\n`] : [])).join(""));
    accepted += lines.length - rejectedLines.length;
    rejected += rejectedLines.length;
  };
  try {
    await sendAll(options, inspection, settle, progress);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const kept = `${accepted} lines are accepted, ${rejected} rejected; the same command sends the file again and stores no line twice`;
    throw new CommandError(`${error.message}\n${kept}`, error.exitCode);
  } finally {
    rejectedFile.close();
    acknowledgedFile?.close();
  }
  rmSync(beganFile, { force: true });
  const renamed = [rejectedFile.earlier, acknowledgedFile?.earlier].filter((path) => path !== undefined);
  return { lines: inspection.lines, accepted, rejected, rejectedFile: rejected === 0 ? null : rejectedPath, renamed };
}

/** Throws a CommandError when an import of the file began with other content and has not ended. */
function noteBegin({ file, domain }: ImportOptions, beganFile: string, { identity }: Inspection): void {
  const own = `${domain.name} ${identity}\n`;
  const began = existsSync(beganFile) ? readFileSync(beganFile, "utf8") : "";
  if (began === own) return;
  // A full disk leaves an empty file, or a beginning.
  if (!own.startsWith(began))
    throw usageError(
      `${file}: its import began with other content or as another domain. With the new content, lines that are stored ` +
        `already would be stored again. Restore the file, or delete ${beganFile} if this is intended`,
    );
  writeFileSync(beganFile, own, { flush: true });
}

/** Sends several batches at once, and settles them in the order of the file. */
async function sendAll(
  { file, ...options }: ImportOptions,
  inspection: Inspection,
  settle: Settle,
  progress: Progress,
): Promise<void> {
  const stop = new AbortController();
  let done = 0;
  const onSettled = (): void => progress.show("importing, lines", ++done, inspection.lines);
  const { identity } = inspection;
  const sending = { ...options, identity, signal: stop.signal, size: { entriesMax: Infinity }, onSettled };
  // Single requests are parallel within a batch, and batches follow each other: entries of one scope keep their order.
  const batchesMax = bulkRouteOf(options.domain) === undefined ? 1 : options.concurrency;
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
    const chunks = unchangedChunks(file, inspection);
    for await (const lines of batchesOf(formatOf(file).lines({ file, chunks, domain: options.domain }))) {
      const outcomes = sendLines(lines, sending);
      // It is awaited in its turn.
      outcomes.catch(() => undefined);
      if (underWay.push({ lines, outcomes }) >= batchesMax) await settleFirst();
    }
  } finally {
    // When the file cannot be read further, the counts include what was sent.
    while (underWay.length > 0) await settleFirst();
  }
}

async function* batchesOf(lines: AsyncIterable<ImportLine>): AsyncGenerator<readonly ImportLine[]> {
  let batch: ImportLine[] = [];
  for await (const line of lines) {
    if (batch.push(line) < batchLinesMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
