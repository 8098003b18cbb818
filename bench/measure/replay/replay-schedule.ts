import { replayLines, type ReplayLine } from "./replay-lines.ts";
import { spanMsOf, type ReplayPhase } from "./replay-phase.ts";

/** A line, and when it is due, in ms from the start of the replay. */
export interface DueLine {
  readonly line: ReplayLine;
  readonly dueMs: number;
}

/**
 * The lines of a part of a replay in the order in which they are due. A line whose id has a time is due at that time, or with the line before it
 * where that is later. The others, in their order, are spread evenly over the same span. They are scattered over the file, because it is ordered by
 * ids: so timed and other lines are read by a stream each. Holds two lines in memory. Throws where the file has changed since its scan.
 */
export async function* replaySchedule(phase: ReplayPhase): AsyncGenerator<DueLine> {
  const { file, part, parts, found } = phase;
  let index = 0;
  for await (const due of merged(timed(phase), spread(phase))) {
    if (index++ % parts === part) yield due;
  }
  if (index !== found.lines)
    throw new Error(`${file} has changed since the replay began: ${index} events instead of ${found.lines}`);
}

async function* timed({ file, speed, found }: ReplayPhase): AsyncGenerator<DueLine> {
  if (found.timed === 0) return;
  let latestMs = found.firstMs;
  for await (const line of goodLines(file)) {
    if (line.atMs === undefined) continue;
    latestMs = Math.max(latestMs, line.atMs);
    yield { line, dueMs: (latestMs - found.firstMs) / speed };
  }
}

async function* spread({ file, speed, found }: ReplayPhase): AsyncGenerator<DueLine> {
  const count = found.lines - found.timed;
  if (count === 0) return;
  const everyMs = spanMsOf(found) / count;
  let index = 0;
  for await (const line of goodLines(file)) {
    if (line.atMs === undefined) yield { line, dueMs: ((index++ + 0.5) * everyMs) / speed };
  }
}

async function* goodLines(file: string): AsyncGenerator<ReplayLine> {
  for await (const line of replayLines(file)) {
    if ("problem" in line) throw new Error(`${file} has changed since the replay began: line ${line.number} is wrong`);
    yield line;
  }
}

async function* merged(...sources: readonly AsyncGenerator<DueLine>[]): AsyncGenerator<DueLine> {
  const heads = await Promise.all(sources.map(async (source) => ({ source, next: await source.next() })));
  for (;;) {
    let first: { readonly head: (typeof heads)[number]; readonly due: DueLine } | undefined;
    for (const head of heads) {
      if (head.next.done === true) continue;
      const due = head.next.value;
      if (first === undefined || due.dueMs < first.due.dueMs) first = { head, due };
    }
    if (first === undefined) return;
    yield first.due;
    first.head.next = await first.head.source.next();
  }
}
