import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { TallyClientError } from "../tally-client-error.ts";
import { AppendFile, addedLine, readLines, settledLine } from "./journal-file.ts";
import type { Journal, JournalEntry, RejectedEntry } from "./journal.ts";
import { contentOf, lockFile, type Unlock } from "./lock-file.ts";

/** One `append()` that is not written yet. */
interface Pending extends JournalEntry {
  readonly resolve: (number: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens or creates a journal; appends share an fsync. Rejects with JOURNAL_IN_USE or JOURNAL_DAMAGED. */
export async function openJournal(path: string): Promise<Journal> {
  const file = resolve(path);
  await mkdir(dirname(file), { recursive: true });
  const unlock = await lockFile(`${file}.lock`);
  try {
    const read = readLines(file, (await contentOf(file)) ?? Buffer.alloc(0));
    return createJournal(file, read, await AppendFile.open(file, read.bytes, unlock.isHeld), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

function createJournal(
  path: string,
  { waiting, highestNumber }: ReturnType<typeof readLines>,
  file: AppendFile,
  unlock: Unlock,
): Journal {
  const left = Array.from(waiting, ([number, text]) => ({ number, text }));
  let numbers = highestNumber;
  let waitingBytes = left.reduce((sum, { number, text }) => sum + lineBytes(number, text), 0);
  let group: Pending[] = [];
  // Settled, and not yet written as such.
  let settled: number[] = [];
  let last: Promise<unknown> = Promise.resolve();

  /** Runs work after all work before it, whether that has failed or not. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work);
    last = done;
    return done;
  }

  /** Writes all appends that wait for it. Never rejects; their promises do. */
  async function writeGroup(): Promise<void> {
    const pending = group;
    group = [];
    try {
      await file.append(pending.map(({ number, text }) => addedLine(number, text)).join(""), { durable: true });
    } catch (error) {
      for (const { reject } of pending) reject(failed(path, error));
      return;
    }
    for (const { number, text, resolve: taken } of pending) {
      waiting.set(number, text);
      waitingBytes += lineBytes(number, text);
      taken(number);
    }
  }

  function forget(number: number): void {
    const text = waiting.get(number);
    if (text === undefined) return;
    waiting.delete(number);
    waitingBytes -= lineBytes(number, text);
    settled.push(number);
  }

  /** A crash may undo it: the entries are then sent again, with their keys. So it needs no fsync. */
  async function writeSettled(): Promise<void> {
    if (waiting.size === 0) await file.clear();
    else if (file.size > 2 * waitingBytes + 2 ** 20) {
      await file.replace(Array.from(waiting, ([number, text]) => addedLine(number, text)).join(""));
    } else if (settled.length > 0) await file.append(settledLine(settled), { durable: false });
    settled = [];
  }

  return {
    left,
    append: (text) =>
      new Promise((taken, reject) => {
        if (group.push({ number: ++numbers, text, resolve: taken, reject }) === 1) void inTurn(writeGroup);
      }),
    settle: (accepted, rejected) =>
      inTurn(async () => {
        for (const number of accepted) forget(number);
        try {
          // If this fails, they stay in the journal, and the next process sends them again.
          if (rejected.length > 0) await appendRejected(`${path}.rejected`, rejected, unlock.isHeld);
          for (const { number } of rejected) forget(number);
          await writeSettled();
        } catch (error) {
          throw failed(path, error);
        }
      }),
    close: () =>
      inTurn(async () => {
        await file.close();
        await unlock();
      }),
  };
}

async function appendRejected(
  path: string,
  rejected: readonly RejectedEntry[],
  isHeld: Unlock["isHeld"],
): Promise<void> {
  const at = JSON.stringify(new Date().toISOString());
  const lines = rejected.map(
    ({ text, status, error }) =>
      `{"at":${at},"status":${status},"error":${JSON.stringify(error)},"purchase":${text}}\n`,
  );
  const file = await AppendFile.open(path, undefined, isHeld);
  try {
    await file.append(lines.join(""), { durable: true });
  } finally {
    await file.close();
  }
}

const lineBytes = (number: number, text: string): number => Buffer.byteLength(addedLine(number, text));

function failed(path: string, error: unknown): TallyClientError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TallyClientError("JOURNAL_FAILED", `${path}: ${reason}`, { cause: error });
}
