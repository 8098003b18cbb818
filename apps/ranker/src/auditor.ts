import type { Database } from "@tally/database";
import { Outage, type Log } from "@tally/failures";
import { placeAt, type LedgerPlace } from "@tally/ledger";
import type { Domain } from "@tally/pipeline";
import type { Rankings } from "@tally/rankings";
import { prune, rebuild, repair } from "@tally/reconcile";

/*
 * Keeps the rankings equal to the rows without anyone asking. Every second it looks at Redis:
 *
 *   another process than before    it may have lost its last writes: every batch of the ledger is looked for among the marks.
 *                                  What was seen is noted in Redis: another ranker need not look again
 *   no generation, or a dirty one  it has lost everything, or a script failed half-way: built anew from the rows
 *
 * Every five seconds it looks for what the messages missed among the batches that were stored since, and applies it. Now and
 * then it prunes the moves of batches that it has seen marked.
 */

export interface AuditorOptions {
  readonly domains: readonly Domain[];
  readonly database: Database;
  readonly rankings: Rankings;
  readonly log: Log;
  readonly movesKeptMs: number;
  /** Told how many batches a round applied. */
  readonly onHealed: (domain: string, batches: number) => void;
  /** Told of each new generation. */
  readonly onRebuilt: (domain: string) => void;
}

const lookEveryMs = 1000;
const repairEveryMs = 5000;
const pruneEveryMs = 60_000;
// Younger batches are on their way through the rank queue.
const settledAfterMs = 5000;
// A ledger row shows when its transaction commits, which is later than the time it carries.
const overlapMs = 60_000;

/** What is known of one domain. */
interface Seen {
  /** Everything stored up to this time is marked; undefined: not known, all of it is to be looked at. */
  until: number | undefined;
  prunedTo: LedgerPlace;
}

export class Auditor {
  readonly #o: AuditorOptions;
  readonly #seen = new Map<Domain, Seen>();
  readonly #outage: Outage;
  readonly #stop = new AbortController();
  #instance = "";
  #repairAt = 0;
  #pruneAt = Date.now() + pruneEveryMs;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AuditorOptions) {
    this.#o = options;
    this.#outage = new Outage(options.log, "look after the rankings");
    for (const domain of options.domains) this.#seen.set(domain, { until: undefined, prunedTo: placeAt(0) });
    this.#schedule(0);
  }

  /** Begins nothing more. A round that waits for Redis or the database ends when their connections are closed. */
  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  // Never two rounds at once: the next is scheduled when one has ended.
  #schedule(delayMs: number): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      void this.#round()
        .then(() => this.#outage.worked())
        .catch((error: unknown) => {
          // Database or Redis are away: the next round begins again where the last good one ended.
          if (!this.#stop.signal.aborted) this.#outage.failed(error);
        })
        .finally(() => this.#schedule(lookEveryMs));
    }, delayMs);
  }

  async #round(): Promise<void> {
    const instance = await this.#o.rankings.instance();
    const another = instance !== this.#instance;
    if (another) {
      for (const [domain, seen] of this.#seen) seen.until = await this.#o.rankings.checkedUntil(domain.name, instance);
    }
    const now = Date.now();
    const repairing = another || now >= this.#repairAt;
    const pruning = now >= this.#pruneAt;
    for (const [domain, seen] of this.#seen) {
      const state = await this.#o.rankings.state(domain.name);
      if (state.name !== "whole") {
        await this.#rebuild(domain, seen, state.name === "dirty" ? state.reason : state.name);
        // Another process may be building; until it is done there is nothing worth mending.
        if ((await this.#o.rankings.state(domain.name)).name !== "whole") continue;
      }
      if (repairing) await this.#repair(domain, seen, instance);
      if (pruning) await this.#prune(domain, seen);
    }
    if (this.#stop.signal.aborted) return;
    this.#instance = instance;
    if (repairing) this.#repairAt = now + repairEveryMs;
    if (pruning) this.#pruneAt = now + pruneEveryMs;
  }

  async #repair(domain: Domain, seen: Seen, instance: string): Promise<void> {
    const until = Date.now() - settledAfterMs;
    const { healed, beyondRepair } = await repair({
      domain: domain.name,
      reader: this.#o.database.writer,
      rankings: this.#o.rankings,
      from: seen.until === undefined ? 0 : seen.until - overlapMs,
      until,
      signal: this.#stop.signal,
    });
    if (this.#stop.signal.aborted) return;
    seen.until = until;
    this.#o.onHealed(domain.name, healed);
    if (healed > 0)
      this.#o.log.info({ domain: domain.name, batches: healed }, "auditor: applied batches from the ledger");
    if (beyondRepair.length > 0) {
      seen.until = undefined;
      await this.#rebuild(domain, seen, `${beyondRepair.length} batches are not ranked and their moves were pruned`);
      return;
    }
    await this.#o.rankings.noteChecked(domain.name, instance, until);
  }

  async #rebuild(domain: Domain, seen: Seen, reason: string): Promise<void> {
    const { log, database, rankings } = this.#o;
    const begunAt = Date.now();
    const outcome = await rebuild({
      domain,
      database,
      rankings,
      signal: this.#stop.signal,
      onProgress({ step }) {
        if (step !== "reading batches") return;
        log.warn({ domain: domain.name, reason }, "auditor: building the rankings anew from the rows");
      },
    });
    // Tried again every second while another process builds: that is worth no line.
    if (outcome.name === "busy") return;
    log.info({ domain: domain.name, outcome }, `auditor: rankings ${outcome.name}`);
    if (outcome.name !== "rebuilt") return;
    // Whatever had been stored by then is in.
    seen.until = begunAt;
    this.#o.onRebuilt(domain.name);
  }

  async #prune(domain: Domain, seen: Seen): Promise<void> {
    if (seen.until === undefined) return;
    seen.prunedTo = await prune({
      domain: domain.name,
      database: this.#o.database,
      rankings: this.#o.rankings,
      behind: seen.prunedTo,
      until: Math.min(seen.until - overlapMs, Date.now() - this.#o.movesKeptMs),
      signal: this.#stop.signal,
    });
  }
}
