import type { ClientRequest, Spread, Workload } from "@tally/domains/workloads";
import type { Random } from "../random.ts";

/** A POST of one event, and whose it is. */
export interface Posting {
  readonly domain: string;
  readonly request: ClientRequest;
  /** It is about another event. */
  readonly isAbout: boolean;
}

// Of a domain with events about events.
const aboutOf = 3;
const knownMax = 200;
// Each stays for a while, so that there are many events about one.
const forgetOf = 10;

/** The load of all domains, one as often as the other, as each one's workload makes it up. */
export class Mix {
  readonly #workloads: readonly Workload[];
  readonly #random: Random;
  readonly #spread: Spread;
  /** By domain: acknowledged events that others may be about. */
  readonly #known: ReadonlyMap<string, { readonly id: string; readonly atMs: number }[]>;

  constructor(workloads: readonly Workload[], random: Random, spread: Spread) {
    this.#workloads = workloads;
    this.#random = random;
    this.#spread = spread;
    this.#known = new Map(workloads.map(({ domain }) => [domain, []]));
  }

  next(): Posting {
    const workload = this.#workloads[this.#random.integer(0, this.#workloads.length - 1)];
    if (workload === undefined) throw new TypeError("at least one domain is needed");
    return this.#aboutAnother(workload) ?? this.#first(workload);
  }

  /** One of every domain that is about no other: one may be taken only when the other is stored. */
  nextOfEach(): readonly Posting[] {
    return this.#workloads.map((workload) => this.#first(workload));
  }

  /** Says under which id a posting was acknowledged. */
  acknowledged({ domain, isAbout }: Posting, id: string): void {
    const known = this.#known.get(domain);
    if (known === undefined || isAbout) return;
    const place = known.length < knownMax ? known.length : this.#random.integer(0, knownMax * forgetOf - 1);
    if (place < knownMax) known[place] = { id, atMs: Date.now() };
  }

  #first(workload: Workload): Posting {
    return { domain: workload.domain, request: workload.next(this.#random.fraction, this.#spread), isAbout: false };
  }

  #aboutAnother({ domain, followUp }: Workload): Posting | undefined {
    const known = this.#known.get(domain) ?? [];
    if (followUp === undefined || this.#random.integer(1, aboutOf) > 1) return undefined;
    const other = known[this.#random.integer(0, Math.max(0, known.length - 1))];
    if (other === undefined) return undefined;
    return { domain, request: followUp(this.#random.fraction, other.id, other.atMs), isAbout: true };
  }
}
