import { Outage, within } from "@tally/runtime";
import type { Rankings } from "@tally/redis";
import { DomainAuditor, epochEveryMs, type AuditorOptions } from "./domain-auditor.ts";

/*
 * Keeps the rankings equal to the rows. Every second it checks Redis and the database:
 *
 *   another Redis process than    it may have lost its last writes: checks the marks of the newest batches, then all,
 *   before                        and notes the result in Redis for other rankers
 *   no or a dirty generation      Redis lost everything, or a script failed half-way: rebuilds it from the rows
 *   a ranked batch, or an epoch   the database was restored to an earlier moment, or a replica without its last commits
 *   noted in Redis, that is not   was promoted: rebuilds it from the rows of the write endpoint
 *   in the database
 *
 *   other series than WINDOWS    rebuilds them; once a day it deletes the boards of days that are no longer live
 *   and BY ask for
 *
 * It opens an epoch of the ledger every five seconds while batches are stored, and checks the batches of a closed one a
 * little later: those without a mark are ranked from the ledger. Beside that it folds old batches that are marked
 * (folds.ts in packages/database/src/ledger). No clock but the database's decides what is looked at (epochs.ts there).
 */

const lookEveryMs = 1000;
const foldEveryMs = 60_000;
const endWithinMs = 3000;

export class Auditor {
  readonly #rankings: Rankings;
  readonly #domains: readonly DomainAuditor[];
  readonly #outage: Outage;
  readonly #stop = new AbortController();
  #instance = "";
  #keepShardsAt = 0;
  #foldAt = 0;
  #round: Promise<void> | undefined;
  #folding: Promise<void> | undefined;
  #watching: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AuditorOptions) {
    this.#rankings = options.rankings;
    this.#domains = options.domains.map((domain) => new DomainAuditor(domain, options, this.#stop.signal));
    this.#outage = new Outage(options.log, "audit the rankings");
    this.#schedule(0);
  }

  /** Starts no further round, and waits 3 s for one that runs: a rebuild that ends lets others build at once. One that
   * waits for Redis or the database ends when their connections are closed. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await within(endWithinMs, () => Promise.all([this.#round, this.#folding, this.#watching]));
  }

  // Never two rounds at once: each schedules the next when it has ended.
  #schedule(delayMs: number): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#look()
        .then(() => this.#outage.worked())
        .catch((error: unknown) => {
          // The database or Redis is down: the next round continues where the last complete one ended.
          if (!this.#stop.signal.aborted) this.#outage.failed(error);
        })
        .finally(() => this.#schedule(lookEveryMs));
    }, delayMs);
  }

  async #look(): Promise<void> {
    const instance = await this.#rankings.instance();
    const isOther = instance !== this.#instance;
    if (isOther) {
      // What a promoted replica lacks is among the newest batches; to read the whole ledger may take minutes.
      for (const domain of this.#domains) await domain.repairNewest();
      for (const domain of this.#domains) await domain.readChecked(instance);
    }
    const now = performance.now();
    const [keepsShards, folds] = [isOther || now >= this.#keepShardsAt, now >= this.#foldAt];
    const failures: unknown[] = [];
    for (const domain of this.#domains) {
      try {
        if (!(await domain.isWhole())) continue;
        // First: it goes on while the database cannot write.
        await domain.repair(instance, isOther);
        if (keepsShards) await domain.keepShards();
        await domain.forgetDays();
        await domain.turnEpoch();
      } catch (error) {
        failures.push(error); // the other domains go on
      }
    }
    if (this.#stop.signal.aborted) return;
    if (failures.length > 0) throw failures[0];
    this.#instance = instance;
    if (keepsShards) this.#keepShardsAt = now + epochEveryMs;
    if (!folds) return;
    this.#foldAt = now + foldEveryMs;
    // May take minutes, so no round waits for them.
    this.#watching ??= this.#each((domain) => domain.watch()).finally(() => (this.#watching = undefined));
    this.#folding ??= this.#each((domain) => domain.fold()).finally(() => (this.#folding = undefined));
  }

  // One domain after the other: each keeps a connection for writes.
  async #each(work: (domain: DomainAuditor) => Promise<void>): Promise<void> {
    for (const domain of this.#domains) await work(domain);
  }
}
