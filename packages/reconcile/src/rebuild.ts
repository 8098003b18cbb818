import { clockOf, findEpochs, readEpochs, readShards, readFold } from "@tally/database";
import { listBatches, placeAt, withUnmoved } from "@tally/database";
import type { Database, Epochs, Fold, LedgerPlace, Recounted } from "@tally/database";
import { boardsOfSeries, defaultSeries, keptSince, settingsOf } from "@tally/contract";
import type { Recount, SeriesSettings, SqlSnapshot } from "@tally/contract";
import type { BatchRanking, Board, NewGeneration, Rankings } from "@tally/redis";
import { addUp, readBatches, rowsToRead } from "./add-up.ts";
import { BatchMarks } from "./batch-marks.ts";
import { repair } from "./repair.ts";

/*
 * A new generation beside live traffic:
 *
 *   1  reads the sums of all rows and their batches in one consistent snapshot of the read endpoint
 *   2  loads both into new keys, chunk by chunk; each chunk counts once
 *   3  repairs: ranks the batches that were committed since from the ledger, until few are left
 *   4  switches, if every chunk is present; repairs once more for batches that were ranked in the old keys meanwhile
 */

export interface RebuildOptions {
  readonly domain: Recounted<Pick<Recount, "boards">>;
  readonly database: Database;
  readonly rankings: Rankings;
  /** Shards of the new generation; default: as many as the live one, or as the last one if Redis has lost it. */
  readonly shards?: number | undefined;
  /** Default: the series of the live generation; without one, the quantity of all time and of days. */
  readonly series?: SeriesSettings | undefined;
  readonly endpoint?: "read" | "write";
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

interface RebuildProgress {
  readonly step: "reading batches" | "reading rows" | "loading cells" | "repairing" | "done";
  /** Batches that were read, then rows, then cells that were loaded. */
  readonly done: number;
  readonly total?: number;
}

export type RebuildOutcome =
  | {
      readonly name: "rebuilt";
      /** All batches of epochs up to this one are marked. */
      readonly closedTo: number;
      readonly batches: number;
      readonly cells: number;
      readonly ranked: number;
    }
  /** Another process builds a generation of this domain. */
  | { readonly name: "busy" }
  /** Redis lost a part of it, or it was interrupted. The rankings are as before, or dirty after half a switch. */
  | { readonly name: "abandoned" };

const repairRoundsMax = 10;
const shortMs = 1000;
const recentAtOnce = 10_000;
// A statement reads a range of about a second. A server that hangs must not keep the right to build.
const rangeWithinMs = 120_000;

/** Throws DatabaseError, and errors of Redis; the rankings stay right. About 5 s for a million cells. */
export async function rebuild(options: RebuildOptions): Promise<RebuildOutcome> {
  const outcome = await rebuildFrom(options.endpoint ?? "read", options);
  // The read endpoint was so far behind that batches missing there were folded, or their messages cannot be read.
  if (outcome.name === "behind") {
    const again = await rebuildFrom("write", options);
    return again.name === "behind" ? { name: "abandoned" } : again;
  }
  return outcome;
}

async function rebuildFrom(
  endpoint: "read" | "write",
  options: RebuildOptions,
): Promise<RebuildOutcome | { readonly name: "behind" }> {
  const { domain, database, rankings } = options;
  const generation = await rankings.build(domain.name, options.shards ?? (await shardsOfLost(options)));
  if (generation === undefined) return { name: "busy" };
  try {
    // Not by the clock of a replica: the auditor rebuilds again when it is days ahead of this one.
    const clock = await clockOf(database.writer);
    const { epochs, fold, batches, cells } = await withUnmoved(
      database,
      endpoint,
      domain,
      (snapshot) => load(snapshot, generation, clock, options),
      { silenceMs: rangeWithinMs },
    );
    // Each round checks what the one before may not have seen.
    const closedTo = epochs?.closedTo ?? -1;
    let from = closedTo + 1;
    const repairInto = async (into: BatchRanking, signal?: AbortSignal) => {
      const begunAt = performance.now();
      const now = await readEpochs(database.writer, domain.name);
      const range = { domain: domain.name, from, until: now.newest.epoch + 1, signal };
      from = now.closedTo + 1;
      const found = await repair({ ...range, reader: database.writer, rankings: into });
      // The snapshot may lack what was folded since, and the ledger has it no more.
      const folded = await readFold(database.writer, domain.name);
      const isBehind = folded.epoch > Math.max(closedTo, fold.epoch);
      if (into === generation) await generation.noteFolded(folded.batches);
      return { ...found, isBehind, tookMs: performance.now() - begunAt };
    };
    options.onProgress?.({ step: "repairing", done: cells });
    let ranked = 0;
    for (let round = 0; round < repairRoundsMax; round++) {
      const found = await repairInto(generation, options.signal);
      ranked += found.ranked;
      if (found.isBehind || found.beyondRepair.length > 0) return { name: "behind" };
      // Batches committed after this round are ranked after the switch, and are missing until then.
      if (found.tookMs <= shortMs) break;
    }
    if (options.signal?.aborted === true || !(await generation.switch())) return { name: "abandoned" };
    // All since the snapshot: a master that failed over may have lost marks. A stop does not end it: see `noteEpoch`.
    from = closedTo + 1;
    const last = await repairInto(rankings);
    if (last.isBehind) return { name: "behind" };
    ranked += last.ranked;
    // Batches from writers of an earlier release, in an upgrade, have no epoch.
    const unordered = { domain: domain.name, reader: database.writer, rankings, from: 0, until: 0 };
    ranked += (await repair(unordered)).ranked;
    // A database that loses what the snapshot had lacks its newest epoch, or batches that `load` has noted.
    if (epochs !== undefined) await rankings.noteEpoch(domain.name, epochs.newest, []);
    options.onProgress?.({ step: "done", done: cells });
    return { name: "rebuilt", closedTo, batches, cells, ranked };
  } finally {
    await generation.release();
  }
}

/** How many shards the rankings had that Redis has lost; undefined: it has them, or there were none. */
async function shardsOfLost({ domain, database, rankings }: RebuildOptions): Promise<number | undefined> {
  const { name } = await rankings.state(domain.name);
  return name === "unbuilt" ? readShards(database.writer, domain.name) : undefined;
}

async function load(
  snapshot: SqlSnapshot,
  generation: NewGeneration,
  now: number,
  { domain, rankings, series, signal, onProgress }: RebuildOptions,
): Promise<{ epochs: Epochs | undefined; fold: Fold; batches: number; cells: number }> {
  const { boards } = domain.recount;
  const epochs = await findEpochs(snapshot, domain.name);
  if (epochs !== undefined) {
    const { earlier, newest: last } = epochs;
    for (let place: LedgerPlace | undefined = placeAt(earlier.epoch); place !== undefined;) {
      const page: readonly LedgerPlace[] = await listBatches(snapshot, domain.name, place, last.epoch, recentAtOnce);
      await generation.noteRecent(page);
      place = page.at(-1);
    }
  }
  const fold = await readFold(snapshot, domain.name);
  const before = await rankings.series(domain.name);
  const settings = series ?? (before === undefined ? defaultSeries : settingsOf(before));
  const kept = keptSince(settings, now);
  await generation.noteSeries(kept);
  let cells = 0;
  onProgress?.({ step: "reading batches", done: 0 });
  const { totals, ...known } = await readBatches(snapshot, domain.name, fold, (done) => {
    signal?.throwIfAborted();
    onProgress?.({ step: "reading batches", done });
  });
  const marks = new BatchMarks();
  for (const [producer, set] of [...known.ledger.all(), ...known.folded.all()])
    marks.addAt(Buffer.from(producer, "hex"), 0, set);
  for (const [producer, set] of marks.all()) await generation.mark(producer, set);
  const toRead = rowsToRead({ boards }, totals, fold);
  const total = toRead === "all" ? totals.changes : totals.changes - fold.changes;
  const sums = await addUp(snapshot, { boards }, { ...known, kept }, toRead, (rows) => {
    signal?.throwIfAborted();
    onProgress?.({ step: "reading rows", done: rows, total });
  });
  const loaded = (count: number): void => {
    signal?.throwIfAborted();
    cells += count;
    onProgress?.({ step: "loading cells", done: cells });
  };
  const noted = function* noted(some: Iterable<Board>): Generator<Board> {
    for (const one of some) {
      yield one;
      loaded(one.cells.length);
    }
  };
  for (const { board, cells: own } of sums.boards.all()) {
    await generation.add(board, own);
    loaded(own.length);
  }
  for (const kind of boards) {
    if (!("mirrored" in kind)) continue;
    for await (const [name, counts] of sums.series.withFolded(snapshot, domain.name, () => loaded(0))) {
      await generation.addMirrored(boardsOfSeries(kind.mirrored, name), {
        byKey: (prefix) => noted(counts.byKey(prefix)),
        byMember: (prefix) => noted(counts.byMember(prefix)),
      });
    }
  }
  // In the future, if the clock was ahead: then days would be over that the rows show.
  await generation.loaded(Math.min(totals.newest, now));
  return { epochs, fold, batches: totals.batches, cells };
}
