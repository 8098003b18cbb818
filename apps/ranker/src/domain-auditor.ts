import { clockOf, closeEarlier, findMissing, isInHistory, keepShards, listBatches, openEpoch } from "@tally/database";
import { newestStored, placeAt, readEpochs, readFold, readShards, type Database, type Epochs } from "@tally/database";
import { feedPublisher, type FeedOptions } from "@tally/broker";
import { Outage, type Log } from "@tally/runtime";
import { firstKeptDay, firstLiveDay, textOfSeries } from "@tally/contract";
import type { Domain, SeriesSettings, SqlReader } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { fold, rebuild, repair } from "@tally/reconcile";
import type { rankerMetrics } from "./ranker-metrics.ts";
import { rebuildPace } from "./rebuild-pace.ts";
import { SettledEpochs } from "./settled-epochs.ts";

type Seen = "onRepaired" | "onRebuilt" | "onRebuildDelayed" | "onFoldFailed" | "onWatched";

export interface AuditorOptions extends Pick<ReturnType<typeof rankerMetrics>, Seen> {
  readonly domains: readonly Domain[];
  readonly database: Database;
  readonly rankings: Rankings;
  readonly log: Log;
  /** How long the ledger keeps a batch at least. */
  readonly keptMs: number;
  readonly series: SeriesSettings;
  /** For the alerts; absent: they are not published. */
  readonly feed?: Pick<FeedOptions, "publisher" | "namespace"> | undefined;
}

/** Between two epochs. */
export const epochEveryMs = 5000;
// A transaction that stays open, such as that of a frozen writer, keeps an epoch open: then batches are checked that
// may still be in the rank queue.
const stuckAfterMs = 10_000;
// A server that was the write endpoint until now, and follows the new one, shows the last commits a little later.
const lostAfterMs = 5000;
// In a round. All recent batches are looked at, a million in about 20 s.
const lookForMs = 1000;
// More need several epochs, which follow each other without a pause.
const foundMax = 10_000;
const watchWithinMs = 10_000;

/** What the auditor checks of one domain; see auditor.ts. */
export class DomainAuditor {
  readonly #domain: Domain;
  readonly #hasSeries: boolean;
  readonly #options: AuditorOptions;
  readonly #signal: AbortSignal;
  readonly #pace: ReturnType<typeof rebuildPace>;
  /** All batches of epochs up to this one are marked; undefined: unknown, so all are checked. */
  #checkedTo: number | undefined;
  readonly #outage: Outage;
  readonly #watchOutage: Outage;
  readonly #feed: ReturnType<typeof feedPublisher> | undefined;
  #openedAtMs = -Infinity;
  /** What the last round found, if the database had all of it. */
  #found: (Awaited<ReturnType<Rankings["inLedger"]>> & { readonly epochs: Epochs }) | undefined;
  readonly #settled = new SettledEpochs();
  #missingSinceMs: number | undefined;
  /** Where the next round goes on among the recent batches: at one that is missing, or after those that are there. */
  #place = "0";
  /** Since when the earlier epoch cannot be closed, or was last checked although it is open. */
  #stuckSinceMs: number | undefined;
  #newest = 0;
  #closedTo = 0;
  /** The boards of the days before it are deleted. */
  #forgotten = 0;

  constructor(domain: Domain, options: AuditorOptions, signal: AbortSignal) {
    this.#domain = domain;
    this.#hasSeries = domain.recount.boards.some((kind) => "mirrored" in kind);
    this.#options = options;
    this.#signal = signal;
    this.#outage = new Outage(options.log, `fold the ledger of ${domain.name}`);
    this.#watchOutage = new Outage(options.log, `look for alerts of ${domain.name}`);
    const { feed, log } = options;
    this.#feed = feed && feedPublisher({ ...feed, domain, signal, log, withinMs: watchWithinMs });
    this.#pace = rebuildPace(domain.name, options.log, options.onRebuildDelayed);
  }

  /** Rebuilds rankings that Redis or the database has lost. Returns whether there is something to repair. */
  async isWhole(): Promise<boolean> {
    this.#found = undefined;
    const { rankings, database, series } = this.#options;
    const { name } = this.#domain;
    const state = await rankings.state(name);
    if (state.name !== "whole") {
      await this.#rebuild(state.name === "dirty" ? state.reason : state.name);
      // Another process may be building.
      return (await rankings.state(name)).name === "whole";
    }
    // First the database: a fold is noted in Redis before its commit.
    const { batches } = await readFold(database.writer, name);
    if ((await rankings.folded(name)) < batches) {
      await this.#rebuild("they lack batches that are folded");
      return false;
    }
    // While writers have other settings, a rebuild would not last. One that must wait, because rankers have different
    // settings, keeps nothing from being checked.
    const isOther = this.#hasSeries && !(await this.#hasAskedSeries()) && !(await rankings.lacksSeries(name, series));
    if (isOther && (await this.#rebuild("they have other series than WINDOWS and BY ask for"))) return false;
    if (!(await this.#lacksRanked())) return true;
    await this.#rebuild("the ledger lacks batches that are ranked", "write");
    return false;
  }

  /** Whether the database has lacked for 5 s what is ranked: a batch, or the epoch in whose history they were found. */
  async #lacksRanked(): Promise<boolean> {
    const { database, rankings } = this.#options;
    const { name } = this.#domain;
    for (const untilMs = performance.now() + lookForMs; ;) {
      const found = await rankings.inLedger(name, this.#place);
      const epochs = await readEpochs(database.writer, name);
      const isOtherHistory = found.noted !== undefined && !isInHistory(epochs, found.noted);
      if (isOtherHistory || (await findMissing(database.writer, name, found.batches)).length > 0) {
        this.#found = undefined;
        this.#missingSinceMs ??= performance.now();
        return performance.now() - this.#missingSinceMs >= lostAfterMs;
      }
      this.#missingSinceMs = undefined;
      this.#place = found.next;
      const batches = [...(this.#found?.batches ?? []), ...found.batches].slice(-foundMax);
      this.#found = { ...found, epochs, batches };
      if (found.next !== "0" && performance.now() < untilMs) continue;
      this.#noteEpochs(epochs);
      return false;
    }
  }

  /** If the database lacks nothing, closes the earlier epoch or opens the next one, unless the newest has no batches and
   * is noted. The next one comes after the commits of the batches that were found. */
  async turnEpoch(): Promise<void> {
    const { database, rankings } = this.#options;
    const { name } = this.#domain;
    if (this.#found === undefined) return;
    const { epochs, noted, batches } = this.#found;
    const { newest, earlier } = epochs;
    if (earlier.isOpen) return closeEarlier(database, name, epochs);
    if (batches.length < foundMax && performance.now() - this.#openedAtMs < epochEveryMs) return;
    const isCovered = newest.isOpen && batches.length === 0 && noted?.epoch === newest.epoch;
    const isEmpty = async (at: number) => (await listBatches(database.writer, name, placeAt(at), at, 1)).length === 0;
    if (isCovered && (await isEmpty(newest.epoch))) return;
    // In the same transaction: they were found in what may be another history by now.
    const areThere = async (reader: SqlReader) => (await findMissing(reader, name, batches)).length === 0;
    const opened = await openEpoch(database, name, epochs, areThere);
    this.#openedAtMs = performance.now();
    if (opened !== undefined) await rankings.noteEpoch(name, opened, batches);
  }

  #noteEpochs({ closedTo, newest, earlier }: Epochs): void {
    const now = performance.now();
    this.#stuckSinceMs = earlier.isOpen ? (this.#stuckSinceMs ?? now) : undefined;
    this.#newest = newest.epoch;
    this.#closedTo = closedTo;
    this.#settled.see(closedTo, now);
    // The database was restored or has lost epochs: what was checked was in another history.
    if (closedTo < (this.#checkedTo ?? 0)) this.#checkedTo = undefined;
  }

  async readChecked(instance: string): Promise<void> {
    this.#checkedTo = await this.#options.rankings.checkedTo(this.#domain.name, instance);
  }

  async repairNewest(): Promise<void> {
    if (this.#checkedTo === undefined || (await this.#options.rankings.state(this.#domain.name)).name !== "whole")
      return;
    await this.#repairBetween(this.#checkedTo + 1, Number.MAX_SAFE_INTEGER);
  }

  /** `isOther`: this Redis process is not the one that was checked before. */
  async repair(instance: string, isOther: boolean): Promise<void> {
    // Its builder died between the switch and the last repair, which adds what was ranked before the switch.
    if (this.#found !== undefined && this.#found.noted === undefined) this.#checkedTo = undefined;
    const until = isOther ? this.#closedTo : this.#settled.to;
    if (this.#stuckSinceMs !== undefined && performance.now() - this.#stuckSinceMs >= stuckAfterMs) {
      this.#stuckSinceMs = performance.now();
      await this.#repairBetween((this.#checkedTo ?? 0) + 1, this.#newest);
    }
    if (this.#checkedTo !== undefined && until <= this.#checkedTo) return;
    const beyondRepair = await this.#repairBetween(this.#checkedTo === undefined ? 0 : this.#checkedTo + 1, until);
    if (this.#signal.aborted) return;
    this.#checkedTo = until;
    if (beyondRepair === 0) return this.#options.rankings.noteChecked(this.#domain.name, instance, until);
    this.#checkedTo = undefined;
    const reason = "batches are not ranked, and their ranking messages cannot be read";
    await this.#rebuild(`${beyondRepair} ${reason}`);
  }

  async fold(): Promise<void> {
    const { keptMs, onFoldFailed } = this.#options;
    const range = { until: this.#checkedTo ?? -1, waitMs: 2 * keptMs, signal: this.#signal };
    try {
      await fold({ ...this.#options, domain: this.#domain, ...range });
      this.#outage.worked();
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#outage.failed(error);
      onFoldFailed(this.#domain.name);
    }
  }

  /** Notes over time what the boards show; the next minute repeats it. */
  async watch(): Promise<void> {
    const { database, rankings, onWatched } = this.#options;
    const { name } = this.#domain;
    const feed = this.#feed;
    try {
      const counts = await this.#domain.watch?.({
        rows: database.writer,
        nowMs: await clockOf(database.writer),
        transaction: (work) => database.transaction(work, { giveUpAfterMs: watchWithinMs }),
        publish:
          feed && (async (events) => (await feed(events[0]?.id ?? "", new Date().toISOString(), events)) === "done"),
        boards: {
          top: (board, limit) => rankings.top(name, board, limit),
          whole: (boards) => rankings.whole(name, boards),
        },
      });
      for (const [rule, count] of Object.entries(counts ?? {})) onWatched(name, rule, count);
      this.#watchOutage.worked();
    } catch (error) {
      if (!this.#signal.aborted) this.#watchOutage.failed(error);
    }
  }

  async forgetDays(): Promise<void> {
    const [now, { database, rankings }] = [Date.now(), this.#options];
    if (!this.#hasSeries || firstKeptDay(now) === this.#forgotten) return;
    // By the database's clock, as the days are chosen: a clock that is days ahead must not delete live ones.
    const before = firstKeptDay(Math.min(now, await clockOf(database.writer)));
    if (before === this.#forgotten) return;
    await rankings.forgetDays(this.#domain.name, before);
    this.#forgotten = before;
  }

  async #hasAskedSeries(): Promise<boolean> {
    const kept = await this.#options.rankings.series(this.#domain.name);
    if (kept?.chain !== true || textOfSeries(kept) !== textOfSeries(this.#options.series)) return false;
    // Built while the clock was days ahead, they would lack live days for as long. A rebuild helps when it is right.
    const isAhead = (now: number) => (kept.from ?? 0) > firstLiveDay(now + 86_400_000);
    return !isAhead(Date.now()) || !isAhead(await clockOf(this.#options.database.writer));
  }

  /** After a rebuild, and for a database that lost the number in a failover. */
  async keepShards(): Promise<void> {
    const { rankings, database } = this.#options;
    const { name } = this.#domain;
    const [shards, kept] = await Promise.all([rankings.shards(name), readShards(database.writer, name)]);
    if (shards === kept) return;
    await database.transaction((transaction) => keepShards(transaction, name, shards), { giveUpAfterMs: 5000 });
  }

  /** Returns how many batches only a rebuild can rank. Reports what was ranked also when it fails half-way. */
  async #repairBetween(from: number, until: number): Promise<number> {
    const { database, rankings, log, onRepaired } = this.#options;
    const { name: domain } = this.#domain;
    let ranked = 0;
    const range = { domain, reader: database.writer, rankings, from, until, signal: this.#signal };
    try {
      return (await repair({ ...range, onRanked: () => void ranked++ })).beyondRepair.length;
    } finally {
      onRepaired(domain, ranked);
      if (ranked > 0) log.info({ domain, batches: ranked }, "auditor: ranked batches from the ledger");
    }
  }

  /** Returns false if it must wait. */
  async #rebuild(reason: string, endpoint: "read" | "write" = "read"): Promise<boolean> {
    const { log, database, rankings, series } = this.#options;
    const { name } = this.#domain;
    // The first rankings of a domain without batches replace nothing.
    const isFirst = reason === "unbuilt" && (await newestStored(database.writer, [name])).size === 0;
    if (!this.#pace.mayBegin(reason)) return false;
    const outcome = await rebuild({
      domain: this.#domain,
      database,
      rankings,
      series,
      endpoint,
      signal: this.#signal,
      onProgress({ step, done }) {
        if (step !== "reading batches" || done > 0) return;
        const line = `auditor: ${isFirst ? "" : "re"}building the rankings of ${name} from the rows`;
        log[isFirst ? "info" : "warn"]({ domain: name, reason }, line);
      },
    }).catch((error: unknown) => {
      this.#pace.ended(reason);
      throw error;
    });
    this.#missingSinceMs = undefined;
    this.#found = undefined;
    // While another process builds, this is retried every second without a log line.
    if (outcome.name === "busy") return true;
    this.#pace.ended(reason);
    log.info({ domain: name, outcome }, `auditor: rankings ${outcome.name}`);
    if (outcome.name !== "rebuilt") return true;
    this.#checkedTo = outcome.closedTo;
    // What is not covered by the epoch that the rebuild has noted is covered by the next one.
    this.#openedAtMs = -Infinity;
    this.#options.onRebuilt(name);
    return true;
  }
}
