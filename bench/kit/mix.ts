import type { ClientRequest, Spread, Workload } from "./workloads/workload.ts";
import type { Random } from "./random.ts";

// In a domain with events that refer to others, one event in this many does.
const followUpOneIn = 3;
const rememberedMax = 200;
// A new event replaces a remembered one with this probability, so that many events refer to the same one.
const replacedOneIn = 10;

export interface Posting {
  readonly domain: string;
  readonly request: ClientRequest;
  /** The id of an acknowledged event; undefined: it refers to none. */
  readonly refersTo: string | undefined;
}

/** Events of several domains with equal shares, from the workload of each. */
export class Mix {
  readonly #workloads: readonly Workload[];
  readonly #random: Random;
  readonly #spread: Spread;
  /** By domain: acknowledged events that others may refer to. */
  readonly #remembered: ReadonlyMap<string, { readonly id: string; readonly atMs: number }[]>;

  readonly #forgotten = new Set<string>();

  constructor(workloads: readonly Workload[], random: Random, spread: Spread) {
    this.#workloads = workloads;
    this.#random = random;
    this.#spread = spread;
    this.#remembered = new Map(workloads.map(({ domain }) => [domain, []]));
  }

  next(): Posting {
    const workload = this.#workloads[this.#random.integer(0, this.#workloads.length - 1)];
    if (workload === undefined) throw new TypeError("at least one domain is needed");
    return this.#followUp(workload) ?? this.#independent(workload);
  }

  /** One event of every domain. None refers to another, which might not be stored yet. */
  nextOfEach(): readonly Posting[] {
    return this.#workloads.map((workload) => this.#independent(workload));
  }

  /** Sets the id with which a posting was acknowledged. */
  acknowledged({ domain, refersTo }: Posting, id: string): void {
    const remembered = this.#remembered.get(domain);
    if (remembered === undefined || refersTo !== undefined) return;
    const isFull = remembered.length >= rememberedMax;
    const place = isFull ? this.#random.integer(0, rememberedMax * replacedOneIn - 1) : remembered.length;
    if (place < rememberedMax) remembered[place] = { id, atMs: Date.now() };
  }

  isForgotten(id: string | undefined): boolean {
    return id !== undefined && this.#forgotten.has(id);
  }

  /** No later posting refers to these events. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#forgotten.add(id);
  }

  #independent({ domain, next }: Workload): Posting {
    return { domain, request: next(this.#random.fraction, this.#spread), refersTo: undefined };
  }

  #followUp({ domain, followUp }: Workload): Posting | undefined {
    const remembered = this.#remembered.get(domain) ?? [];
    if (followUp === undefined || !this.#random.once(followUpOneIn)) return undefined;
    const other = remembered[this.#random.integer(0, Math.max(0, remembered.length - 1))];
    if (other === undefined || this.#forgotten.has(other.id)) return undefined;
    return { domain, request: followUp(this.#random.fraction, other.id, other.atMs), refersTo: other.id };
  }
}
