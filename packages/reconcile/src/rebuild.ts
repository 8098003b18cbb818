import type { Database } from "@tally/database";
import { readTotals, selectBatches } from "@tally/ledger";
import type { Domain, SqlSnapshot } from "@tally/pipeline";
import type { NewGeneration, Rankings } from "@tally/rankings";
import { BatchBits } from "./batch-bits.ts";
import { Mirror } from "./mirror.ts";
import { readCells } from "./read-cells.ts";
import { repair } from "./repair.ts";

/*
 * A new generation beside live traffic:
 *
 *   1  one consistent snapshot of the read endpoint: what all rows add up to, and of which batches
 *   2  both into new keys, chunk by chunk; each chunk counts once
 *   3  repair: what was committed since goes in from the ledger, until little is left
 *   4  one switch, if every chunk is there; and repair once more for what went to the old keys meanwhile
 */

export interface RebuildOptions {
  readonly domain: Domain;
  readonly database: Database;
  readonly rankings: Rankings;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export interface RebuildProgress {
  readonly step: "reading batches" | "adding up" | "repairing" | "done";
  readonly batches: number;
  readonly cells: number;
}

export type RebuildOutcome =
  | { readonly name: "rebuilt"; readonly batches: number; readonly cells: number; readonly healed: number }
  /** Another process builds this domain's generation. */
  | { readonly name: "busy" }
  /** Redis lost a part of it on the way, or it was interrupted: nothing was changed. */
  | { readonly name: "abandoned" };

// A ledger row shows when its transaction commits, which is later than the time it carries: by seconds mostly, in a bad hour by
// as much as a statement may take. The first round looks so far back, the last one as far as the auditor does.
const lateCommitMs = 600_000;
const roundOverlapMs = 5000;
const overlapMs = 60_000;
const repairRoundsMax = 10;
const shortMs = 1000;

/** Throws DatabaseError, and what Redis refuses; then nothing was changed. About 5 s for a million cells. */
export async function rebuild(o: RebuildOptions): Promise<RebuildOutcome> {
  const outcome = await rebuildFrom("read", o);
  // The read endpoint was so far behind that moves it did not show yet were pruned already.
  if (outcome.name === "behind") {
    const again = await rebuildFrom("write", o);
    return again.name === "behind" ? { name: "abandoned" } : again;
  }
  return outcome;
}

async function rebuildFrom(
  endpoint: "read" | "write",
  o: RebuildOptions,
): Promise<RebuildOutcome | { readonly name: "behind" }> {
  const { domain, database, rankings } = o;
  const generation = await rankings.build(domain.name);
  if (generation === undefined) return { name: "busy" };
  try {
    const { newest, batches, cells } = await database.snapshot(endpoint, (snapshot) => load(snapshot, generation, o));
    let nextFrom = newest - lateCommitMs;
    const heal = async (into: Pick<Rankings, "apply" | "unmarked">, backMs: number) => {
      const begunAt = Date.now();
      const from = nextFrom - backMs;
      nextFrom = begunAt;
      const found = await repair({
        domain: domain.name,
        reader: database.writer,
        rankings: into,
        from,
        until: begunAt,
        ...(o.signal === undefined ? {} : { signal: o.signal }),
      });
      return { ...found, tookMs: Date.now() - begunAt };
    };
    o.onProgress?.({ step: "repairing", batches, cells });
    let healed = 0;
    for (let round = 0; round < repairRoundsMax; round++) {
      const found = await heal(generation, roundOverlapMs);
      healed += found.healed;
      if (found.beyondRepair.length > 0) return { name: "behind" };
      // What is committed meanwhile goes in after the switch; until then it is missing for so long.
      if (found.tookMs <= shortMs) break;
    }
    if (o.signal?.aborted === true || !(await generation.switch())) return { name: "abandoned" };
    healed += (await heal(rankings, overlapMs)).healed;
    o.onProgress?.({ step: "done", batches, cells });
    return { name: "rebuilt", batches, cells, healed };
  } finally {
    await generation.release();
  }
}

async function load(
  snapshot: SqlSnapshot,
  generation: NewGeneration,
  { domain, signal, onProgress }: RebuildOptions,
): Promise<{ readonly newest: number; readonly batches: number; readonly cells: number }> {
  const { newest, batches } = await readTotals(snapshot, domain.name);
  let cells = 0;
  onProgress?.({ step: "reading batches", batches, cells });
  const bits = new BatchBits();
  for await (const rows of snapshot.stream(selectBatches, [domain.name])) {
    for (const [producer, sequence] of rows) bits.set(producer, sequence);
  }
  for (const [producer, set] of bits.all()) await generation.mark(producer, set);
  const { boards } = domain.recount;
  for (const [index, kind] of boards.entries()) {
    if (kind.mirrored === true) continue;
    const next = boards[index + 1];
    const mirror = next?.mirrored === true ? new Mirror(generation, next.board) : undefined;
    for await (const { key, board, cells: own } of readCells(snapshot, kind)) {
      signal?.throwIfAborted();
      await generation.add(board, own);
      await mirror?.add(key, own);
      cells += mirror === undefined ? own.length : 2 * own.length;
      onProgress?.({ step: "adding up", batches, cells });
    }
    await mirror?.flush();
  }
  await generation.loaded(newest);
  return { newest, batches, cells };
}
