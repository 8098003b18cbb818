import { type Database, keepShards, placeAt, readShards, type LedgerPlace, findTimes } from "@tally/database";
import { Outage, type Log } from "@tally/runtime";
import type { Domain } from "@tally/contract";
import type { Rankings } from "@tally/redis";
import { prune, rebuild, repair } from "@tally/reconcile";

/*
 * Keeps the rankings equal to the rows. Every second it checks Redis:
 *
 *   another process than before   it may have lost its last writes: checks the marks of the newest batches, then all,
 *                                 and notes the result in Redis for other rankers
 *   no or a dirty generation      Redis lost everything, or a script failed half-way: rebuilds it from the rows
 *   a ranked batch that is not    the database was restored to an earlier moment, or a replica without its last commits
 *   in the ledger                 was promoted: rebuilds it from the rows of the write endpoint
 *
 * Every five seconds it checks the batches that were stored since, and ranks those without a mark from the ledger.
 * Every minute it prunes ranking messages whose batches it has seen marked.
 */

interface AuditorOptions {
  readonly domains: readonly Domain[];
  readonly database: Database;
  readonly rankings: Rankings;
  readonly log: Log;
  readonly messagesKeptMs: number;
  /** Batches that a round ranked from the ledger. */
  readonly onRepaired: (domain: string, batches: number) => void;
  readonly onRebuilt: (domain: string) => void;
}

const lookEveryMs = 1000;
const repairEveryMs = 5000;
const pruneEveryMs = 60_000;
// Ranking messages of younger batches may still be in the rank queue.
const settledAfterMs = 5000;
// A ledger row becomes visible at its commit, later than its stored_at.
const overlapMs = 60_000;
// A server that was the write endpoint until now, and follows the new one, shows the last commits a little later.
const lostAfterMs = 5000;

export class Auditor {
  readonly #rankings: Rankings;
  readonly #domains: readonly DomainAuditor[];
  readonly #outage: Outage;
  readonly #stop = new AbortController();
  #instance = "";
  #repairAt = 0;
  #pruneAt = Date.now() + pruneEveryMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AuditorOptions) {
    this.#rankings = options.rankings;
    this.#domains = options.domains.map((domain) => new DomainAuditor(domain, options, this.#stop.signal));
    this.#outage = new Outage(options.log, "audit the rankings");
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
    const instance = await this.#rankings.instance();
    const isOther = instance !== this.#instance;
    if (isOther) {
      // What a promoted replica lacks is among the newest batches; to read the whole ledger may take minutes.
      for (const domain of this.#domains) await domain.repairNewest();
      for (const domain of this.#domains) await domain.readChecked(instance);
    }
    const now = Date.now();
    const repairs = isOther || now >= this.#repairAt;
    const prunes = now >= this.#pruneAt;
    for (const domain of this.#domains) {
      if (!(await domain.isWhole())) continue;
      if (repairs) await domain.repair(instance);
      if (prunes) await domain.prune();
    }
    if (this.#stop.signal.aborted) return;
    this.#instance = instance;
    if (repairs) this.#repairAt = now + repairEveryMs;
    if (prunes) this.#pruneAt = now + pruneEveryMs;
  }
}

class DomainAuditor {
  readonly #domain: Domain;
  readonly #options: AuditorOptions;
  readonly #signal: AbortSignal;
  /** All batches stored up to this time are marked; undefined: unknown, so all are checked. */
  #until: number | undefined;
  #prunedTo: LedgerPlace = placeAt(0);
  /** When the batch was stored that the ledger must have. */
  #expected: number | undefined;
  #missingSinceMs: number | undefined;

  constructor(domain: Domain, options: AuditorOptions, signal: AbortSignal) {
    this.#domain = domain;
    this.#options = options;
    this.#signal = signal;
  }

  /** Rebuilds rankings that Redis or the database has lost. Returns whether there is something to repair. */
  async isWhole(): Promise<boolean> {
    const { rankings } = this.#options;
    const { name } = this.#domain;
    const state = await rankings.state(name);
    if (state.name !== "whole") {
      await this.#rebuild(state.name === "dirty" ? state.reason : state.name);
      // Another process may be building.
      return (await rankings.state(name)).name === "whole";
    }
    if (!(await this.#lacksRanked())) return true;
    await this.#rebuild("the ledger lacks batches that are ranked", "write");
    return false;
  }

  /** Whether the ledger has lacked a ranked batch for 5 s. It must have the newest ranked one, and the newest one that
   * was found there before: batches stored after a restore may be ranked before the next look. Two lookups. */
  async #lacksRanked(): Promise<boolean> {
    const { database, rankings } = this.#options;
    const { name } = this.#domain;
    const { ranked, inLedger } = await rankings.newest(name);
    // Stays while the database is down: then it is the newest one before the outage.
    const expected = (this.#expected ??= ranked);
    const times = [expected, inLedger].filter((time) => time !== undefined);
    const found = await findTimes(database.writer, name, times);
    if (times.some((time) => !found.has(time))) {
      this.#missingSinceMs ??= performance.now();
      return performance.now() - this.#missingSinceMs >= lostAfterMs;
    }
    if (expected !== undefined && expected !== inLedger) await rankings.noteInLedger(name, expected);
    this.#expected = undefined;
    this.#missingSinceMs = undefined;
    return false;
  }

  async readChecked(instance: string): Promise<void> {
    this.#until = await this.#options.rankings.checkedUntil(this.#domain.name, instance);
  }

  async repairNewest(): Promise<void> {
    if (this.#until === undefined || (await this.#options.rankings.state(this.#domain.name)).name !== "whole") return;
    await this.#repairBetween(this.#until - overlapMs, Date.now() - settledAfterMs);
  }

  async repair(instance: string): Promise<void> {
    await this.#keepShards();
    const until = Date.now() - settledAfterMs;
    const beyondRepair = await this.#repairBetween(this.#until === undefined ? 0 : this.#until - overlapMs, until);
    if (this.#signal.aborted) return;
    this.#until = until;
    if (beyondRepair === 0) return this.#options.rankings.noteChecked(this.#domain.name, instance, until);
    this.#until = undefined;
    const reason = "batches are not ranked, and their ranking messages were pruned or cannot be read";
    await this.#rebuild(`${beyondRepair} ${reason}`);
  }

  async prune(): Promise<void> {
    if (this.#until === undefined) return;
    const until = Math.min(this.#until - overlapMs, Date.now() - this.#options.messagesKeptMs);
    const { database, rankings } = this.#options;
    const [behind, signal] = [this.#prunedTo, this.#signal];
    this.#prunedTo = await prune({ domain: this.#domain.name, database, rankings, behind, until, signal });
  }

  /** For a builder that was killed after the switch, and a database that lost the number in a failover. */
  async #keepShards(): Promise<void> {
    const { rankings, database } = this.#options;
    const { name } = this.#domain;
    const [shards, kept] = await Promise.all([rankings.shards(name), readShards(database.writer, name)]);
    if (shards !== kept) await database.transaction((transaction) => keepShards(transaction, name, shards));
  }

  /** Returns how many batches only a rebuild can rank. */
  async #repairBetween(from: number, until: number): Promise<number> {
    const { database, rankings, log, onRepaired } = this.#options;
    const { name: domain } = this.#domain;
    const range = { domain, reader: database.writer, rankings, from, until, signal: this.#signal };
    const { ranked, beyondRepair } = await repair(range);
    onRepaired(domain, ranked);
    if (ranked > 0) log.info({ domain, batches: ranked }, "auditor: ranked batches from the ledger");
    return beyondRepair.length;
  }

  async #rebuild(reason: string, endpoint: "read" | "write" = "read"): Promise<void> {
    const { log, database, rankings } = this.#options;
    const { name } = this.#domain;
    const begunAt = Date.now();
    const outcome = await rebuild({
      domain: this.#domain,
      database,
      rankings,
      endpoint,
      signal: this.#signal,
      onProgress({ step, batches }) {
        if (step !== "reading batches") return;
        // The first rankings of a domain without rows replace nothing.
        const isFirst = reason === "unbuilt" && batches === 0;
        const line = `auditor: ${isFirst ? "" : "re"}building the rankings of ${name} from the rows`;
        log[isFirst ? "info" : "warn"]({ domain: name, reason }, line);
      },
    });
    this.#expected = undefined;
    this.#missingSinceMs = undefined;
    // While another process builds, this is retried every second without a log line.
    if (outcome.name === "busy") return;
    log.info({ domain: name, outcome }, `auditor: rankings ${outcome.name}`);
    if (outcome.name !== "rebuilt") return;
    // It contains all that was stored by then.
    this.#until = begunAt;
    this.#options.onRebuilt(name);
  }
}
