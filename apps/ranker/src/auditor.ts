import { type Database, keepShards, placeAt, readShards, type LedgerPlace } from "@tally/database";
import { Outage, type Log } from "@tally/runtime";
import type { Domain } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { prune, rebuild, repair, type Repaired } from "@tally/reconcile";
import { LostBatches } from "./lost-batches.ts";

/*
 * Keeps the rankings equal to the rows. Every second it checks Redis:
 *
 *   another process than before    it may have lost its last writes: checks the marks of the newest batches, then of every batch in the
 *                                  ledger. The result is noted in Redis, so other rankers need not repeat it
 *   no generation, or a dirty one  Redis lost everything, or a script failed half-way: rebuilds it from the rows
 *   a counted batch that is not    the database was restored to an earlier moment, or a replica without its last commits was promoted:
 *   in the ledger                  rebuilds it from the rows of the write endpoint
 *
 * Every five seconds it checks the batches that were stored since, and counts those without a mark from the ledger. Every minute it prunes
 * ranking messages whose batches it has seen marked.
 */

export interface AuditorOptions {
  readonly domains: readonly Domain[];
  readonly database: Database;
  readonly rankings: Rankings;
  readonly log: Log;
  /** Younger ranking messages are not pruned. */
  readonly messagesKeptMs: number;
  /** Called with the number of batches that a round counted from the ledger. */
  readonly onRepaired: (domain: string, batches: number) => void;
  /** Called after each new generation. */
  readonly onRebuilt: (domain: string) => void;
}

const lookEveryMs = 1000;
const repairEveryMs = 5000;
const pruneEveryMs = 60_000;
// Ranking messages of younger batches may still be in the rank queue.
const settledAfterMs = 5000;
// A ledger row becomes visible at its commit, later than its stored_at.
const overlapMs = 60_000;

/** What has been checked of one domain. */
interface Seen {
  /** All batches stored up to this time are marked; undefined: unknown, so all are checked. */
  until: number | undefined;
  prunedTo: LedgerPlace;
  readonly lost: LostBatches;
}

export class Auditor {
  readonly #options: AuditorOptions;
  readonly #seen = new Map<Domain, Seen>();
  readonly #outage: Outage;
  readonly #stop = new AbortController();
  #instance = "";
  #repairAt = 0;
  #pruneAt = Date.now() + pruneEveryMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AuditorOptions) {
    this.#options = options;
    this.#outage = new Outage(options.log, "audit the rankings");
    for (const domain of options.domains) {
      const lost = new LostBatches({ ...options, domain: domain.name });
      this.#seen.set(domain, { until: undefined, prunedTo: placeAt(0), lost });
    }
    this.#schedule(0);
  }

  /** Starts no further round. A round that waits for Redis or the database ends when their connections are closed. */
  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  // Never two rounds at once: each schedules the next when it has ended.
  #schedule(delayMs: number): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      void this.#round()
        .then(() => this.#outage.worked())
        .catch((error: unknown) => {
          // The database or Redis is down: the next round continues where the last complete one ended.
          if (!this.#stop.signal.aborted) this.#outage.failed(error);
        })
        .finally(() => this.#schedule(lookEveryMs));
    }, delayMs);
  }

  async #round(): Promise<void> {
    const instance = await this.#options.rankings.instance();
    const another = instance !== this.#instance;
    if (another) {
      await this.#repairNewest();
      for (const [domain, seen] of this.#seen)
        seen.until = await this.#options.rankings.checkedUntil(domain.name, instance);
    }
    const now = Date.now();
    const repairing = another || now >= this.#repairAt;
    const pruning = now >= this.#pruneAt;
    for (const [domain, seen] of this.#seen) {
      const state = await this.#options.rankings.state(domain.name);
      if (state.name !== "whole") {
        await this.#rebuild(domain, seen, state.name === "dirty" ? state.reason : state.name);
        // Another process may be building; until it is done there is nothing to repair.
        if ((await this.#options.rankings.state(domain.name)).name !== "whole") continue;
      } else if (await seen.lost.look()) {
        await this.#rebuild(domain, seen, "the ledger lacks batches that are counted", "write");
        continue;
      }
      if (repairing) {
        await this.#keepShards(domain);
        await this.#repair(domain, seen, instance);
      }
      if (pruning) await this.#prune(domain, seen);
    }
    if (this.#stop.signal.aborted) return;
    this.#instance = instance;
    if (repairing) this.#repairAt = now + repairEveryMs;
    if (pruning) this.#pruneAt = now + pruneEveryMs;
  }

  /** For rankings whose builder did not: of an earlier release, or killed after the switch; and for a database that lost the number in a failover. */
  async #keepShards({ name }: Domain): Promise<void> {
    const { rankings, database } = this.#options;
    const [shards, kept] = await Promise.all([rankings.shards(name), readShards(database.writer, name)]);
    if (shards !== kept) await database.transaction((transaction) => keepShards(transaction, name, shards));
  }

  /** What a replica lacks that has become a master is among the newest batches; to read the whole ledger may take minutes. */
  async #repairNewest(): Promise<void> {
    for (const [{ name: domain }, { until }] of this.#seen) {
      if (until === undefined || (await this.#options.rankings.state(domain)).name !== "whole") continue;
      await this.#repairBetween(domain, until - overlapMs, Date.now() - settledAfterMs);
    }
  }

  async #repairBetween(domain: string, from: number, until: number): Promise<Repaired> {
    const { database, rankings, log, onRepaired } = this.#options;
    const repaired = await repair({
      domain,
      reader: database.writer,
      rankings,
      from,
      until,
      signal: this.#stop.signal,
    });
    onRepaired(domain, repaired.counted);
    if (repaired.counted > 0)
      log.info({ domain, batches: repaired.counted }, "auditor: counted batches from the ledger");
    return repaired;
  }

  async #repair(domain: Domain, seen: Seen, instance: string): Promise<void> {
    const until = Date.now() - settledAfterMs;
    const from = seen.until === undefined ? 0 : seen.until - overlapMs;
    const { beyondRepair } = await this.#repairBetween(domain.name, from, until);
    if (this.#stop.signal.aborted) return;
    seen.until = until;
    if (beyondRepair.length > 0) {
      seen.until = undefined;
      await this.#rebuild(
        domain,
        seen,
        `${beyondRepair.length} batches are not counted, and their ranking messages were pruned or cannot be read`,
      );
      return;
    }
    await this.#options.rankings.noteChecked(domain.name, instance, until);
  }

  async #rebuild(domain: Domain, seen: Seen, reason: string, endpoint: "read" | "write" = "read"): Promise<void> {
    const { log, database, rankings } = this.#options;
    const begunAt = Date.now();
    const outcome = await rebuild({
      domain,
      database,
      rankings,
      endpoint,
      signal: this.#stop.signal,
      onProgress({ step, batches }) {
        if (step !== "reading batches") return;
        // The first rankings of a domain without rows replace nothing.
        const isFirst = reason === "unbuilt" && batches === 0;
        const line = `auditor: ${isFirst ? "" : "re"}building the rankings of ${domain.name} from the rows`;
        log[isFirst ? "info" : "warn"]({ domain: domain.name, reason }, line);
      },
    });
    seen.lost.forget();
    // While another process builds, this is retried every second without a log line.
    if (outcome.name === "busy") return;
    log.info({ domain: domain.name, outcome }, `auditor: rankings ${outcome.name}`);
    if (outcome.name !== "rebuilt") return;
    // It contains all that was stored by then.
    seen.until = begunAt;
    this.#options.onRebuilt(domain.name);
  }

  async #prune(domain: Domain, seen: Seen): Promise<void> {
    if (seen.until === undefined) return;
    seen.prunedTo = await prune({
      domain: domain.name,
      database: this.#options.database,
      rankings: this.#options.rankings,
      behind: seen.prunedTo,
      until: Math.min(seen.until - overlapMs, Date.now() - this.#options.messagesKeptMs),
      signal: this.#stop.signal,
    });
  }
}
