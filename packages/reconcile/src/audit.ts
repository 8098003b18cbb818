import { clockOf, findEpochs, FoldedMeanwhile, readFold, removalSteps, removedMonths } from "@tally/database";
import { countConflicts, withUnmoved } from "@tally/database";
import type { Database, LedgerTotals, StateCounts } from "@tally/database";
import { firstLiveDay, onlyAllTime, settingsOf } from "@tally/contract";
import type { Domain, KeptSeries, Recount, SqlSnapshot } from "@tally/contract";
import type { Rankings, RankingsState } from "@tally/redis";
import { auditBoards, type BoardAudit } from "./audit-boards.ts";
import { auditBatches, type BatchAudit, auditFolded } from "./audit-rankings.ts";
import { Findings } from "./findings.ts";
import { FoldedRows, type KeptReading } from "./folded-rows.ts";
import { Meanwhile } from "./meanwhile.ts";
import { addUp, hasMirrored, readBatches, rowsToRead } from "./add-up.ts";
import { readTables } from "./read-tables.ts";
import { auditIds, type IdAudit, type IdSet } from "./audit-ids.ts";

export interface AuditOptions {
  readonly domain: Domain;
  readonly database: Database;
  readonly endpoint: "read" | "write";
  /** Reads the rows of folded batches too, and compares them with the folded counts. */
  readonly isFull?: boolean;
  /** With `isFull`: an audit that was interrupted goes on where it was. */
  readonly keptReading?: KeptReading;
  /** Beside live traffic: what is stored and ranked during the audit is no difference. How long one must stay. */
  readonly liveMs?: number;
  readonly rankings: Rankings;
  /** Ids of acknowledged events; those of the domain are ticked off. */
  readonly acknowledged?: IdSet;
  readonly onProgress?: (progress: AuditProgress) => void;
}

/** What `tally audit --json` prints, for all audited domains. Plain JSON data. */
export interface AuditReport {
  readonly agrees: boolean;
  readonly endpoint: "read" | "write";
  /** Empty when the system was drained; otherwise nothing was compared. */
  readonly underWay: readonly string[];
  readonly waitedSeconds: number;
  readonly seconds: number;
  readonly audit: {
    /** Ids in the file; without a file, changes by the ledger. */
    readonly acknowledged: number;
    /** Rows. */
    readonly stored: number;
    /** Changes of batches that are marked on every shard. */
    readonly ranked: number;
    /** Acknowledged events that are neither stored nor dead letters, and units that boards lack. */
    readonly lost: number;
    /** Events that are stored twice, and surplus units on boards. */
    readonly doubled: number;
    /** Acknowledged events that the database rejected for their data: they are kept as dead letters, not lost. */
    readonly deadLetters?: number;
    /** Events whose Idempotency-Key belongs to a stored event with other content: open dead letters, beside those. */
    readonly keyConflicts?: number;
    /** Rows whose id is not in the file. */
    readonly unacknowledged?: number;
  };
  /** The first ids of the file that are not stored. */
  readonly notStored: readonly string[];
  readonly domains: readonly DomainAudit[];
}

interface AuditProgress {
  readonly step: "ledger" | "rows" | "batches" | "folded counts" | "boards" | "contradictions" | "ids";
  readonly done: number;
  readonly total: number | undefined;
}

/** Differences between the ledger, the rows, the marks and the boards. */
export interface DomainAudit {
  readonly domain: string;
  readonly state: RankingsState;
  readonly ledger: LedgerTotals;
  readonly batches: BatchAudit;
  readonly boards: BoardAudit;
  /** The windows and measures of mirrored counts that were compared: those that Redis keeps complete. */
  readonly series: readonly string[];
  /** Sentences: rows that the events do not explain (`recount.contradictions`), and folded counts that differ from
   * their rows, if those were read. */
  readonly contradictions: Findings<string>;
  readonly ids: IdAudit | undefined;
  /** Events whose key belongs to a stored event with other content: dead letters by state. */
  readonly keyConflicts: StateCounts;
  readonly agrees: boolean;
}

/** Reads the folded counts and the rows of all other batches in one consistent snapshot of the database. Unless it is
 * live, batches that are not ranked yet appear as differences. Throws DatabaseError, and errors of Redis. */
export async function audit(options: AuditOptions): Promise<DomainAudit> {
  for (let times = 1; ; times++) {
    try {
      return await auditOnce(options);
    } catch (error) {
      // Folded during a live audit, as by `tally retention`: the next one sees it.
      if (!(error instanceof FoldedMeanwhile) || times === timesMax) throw error;
    }
  }
}

const timesMax = 5;

async function auditOnce(options: AuditOptions): Promise<DomainAudit> {
  const { domain, database, endpoint, rankings, acknowledged } = options;
  const { recount } = domain;
  const progress = (step: AuditProgress["step"], total?: number) => (done: number) =>
    options.onProgress?.({ step, done, total });
  return withUnmoved(database, endpoint, domain, async (snapshot) => {
    const fold = await readFold(snapshot, domain.name);
    const state = await rankings.state(domain.name);
    const { totals: ledger, ...known } = await readBatches(snapshot, domain.name, fold, progress("ledger"));
    const wereRead = options.isFull === true ? "all" : rowsToRead(recount, ledger, fold);
    const rowsTotal = wereRead === "all" ? ledger.changes : ledger.changes - fold.changes;
    const kept = await keptSeries(snapshot, rankings, domain.name, ledger.newest);
    const onRows = progress("rows", rowsTotal);
    const from = { domain: domain.name, ...known, steps: await removalSteps(snapshot, domain) };
    const foldedRows = await FoldedRows.open(hasMirrored(recount) ? options.keptReading : undefined, from);
    const sums = await addUp(snapshot, recount, { ...known, kept }, wereRead, onRows, foldedRows);
    const live = options.liveMs === undefined ? undefined : { writer: database.writer, staysMs: options.liveMs };
    const removed = await removedMonths(snapshot, domain);
    const rows = { rows: sums.batches, foldedRows: foldedRows.rows };
    const toAudit = { ...known, ...rows, wereRead, all: ledger, fold, removed, live };
    const onBatches = progress("batches", ledger.batches);
    const batches = await auditBatches(snapshot, domain, rankings, toAudit, onBatches);
    const { closedTo = -1 } = (await findEpochs(snapshot, domain.name)) ?? {};
    const meanwhile = live && new Meanwhile({ domain: domain.name, ...live, rankings, known, closedTo });
    const onFolded = progress("folded counts");
    const boards = await auditBoards(
      snapshot,
      domain,
      rankings,
      { sums, kept, meanwhile },
      { onFolded, onCells: progress("boards") },
    );
    const contradictions = await findContradictions(snapshot, domain, progress("contradictions"));
    if (wereRead === "all")
      await auditFolded(snapshot, domain.name, { rows: foldedRows.sums, removed }, contradictions, onFolded);
    const ids = acknowledged && (await auditIds(snapshot, domain, acknowledged, progress("ids", batches.stored)));
    const keyConflicts = await countConflicts(snapshot, domain.name);
    const agrees =
      state.name !== "dirty" &&
      batches.miscounted.count === 0 &&
      batches.unmarked.count === 0 &&
      batches.strayMarks === 0 &&
      batches.unmarkedFolded === 0 &&
      boards.differences.count === 0 &&
      contradictions.count === 0 &&
      (ids?.doubled ?? 0) === 0;
    const series = seriesIn(recount, kept);
    return { domain: domain.name, state, ledger, batches, boards, series, contradictions, ids, keyConflicts, agrees };
  });
}

/** What the rankings have of the days that are live now, by the database's clock. */
async function keptSeries(snapshot: SqlSnapshot, rankings: Rankings, domain: string, newest: number) {
  const kept: KeptSeries = (await rankings.series(domain)) ?? onlyAllTime;
  if (kept.from === undefined) return kept;
  // The clock of a replica may be behind that of the writes.
  const now = Math.max(newest, await clockOf(snapshot));
  return { ...kept, from: Math.max(kept.from, firstLiveDay(now)) };
}

function seriesIn({ boards }: Pick<Recount, "boards">, kept: KeptSeries): readonly string[] {
  const { windows, by } = settingsOf(kept);
  return hasMirrored({ boards }) ? [...windows, ...by] : [];
}

async function findContradictions(
  snapshot: SqlSnapshot,
  domain: Domain,
  onProgress: (rows: number) => void,
): Promise<Findings<string>> {
  const found = new Findings<string>();
  const sentences = readTables(snapshot, domain.recount.contradictions ?? [], [], onProgress);
  for await (const rows of sentences) for (const [sentence] of rows) found.add(String(sentence));
  return found;
}
