import type { ClientRequest, Domain, Spread } from "@tally/pipeline";
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
  readonly #domains: readonly Domain[];
  readonly #random: Random;
  readonly #spread: Spread;
  /** By domain: acknowledged events that others may be about. */
  readonly #known: ReadonlyMap<string, { readonly id: string; readonly atMs: number }[]>;

  constructor(domains: readonly Domain[], random: Random, spread: Spread) {
    this.#domains = domains;
    this.#random = random;
    this.#spread = spread;
    this.#known = new Map(domains.map(({ name }) => [name, []]));
  }

  next(): Posting {
    const domain = this.#domains[this.#random.integer(0, this.#domains.length - 1)];
    if (domain === undefined) throw new TypeError("at least one domain is needed");
    return this.#aboutAnother(domain) ?? this.#first(domain);
  }

  /** One of every domain that is about no other: one may be taken only when the other is stored. */
  nextOfEach(): readonly Posting[] {
    return this.#domains.map((domain) => this.#first(domain));
  }

  /** Says under which id a posting was acknowledged. */
  acknowledged({ domain, isAbout }: Posting, id: string): void {
    const known = this.#known.get(domain);
    if (known === undefined || isAbout) return;
    const place = known.length < knownMax ? known.length : this.#random.integer(0, knownMax * forgetOf - 1);
    if (place < knownMax) known[place] = { id, atMs: Date.now() };
  }

  #first({ name, workload }: Domain): Posting {
    return { domain: name, request: workload.next(this.#random.fraction, this.#spread), isAbout: false };
  }

  #aboutAnother({ name, workload }: Domain): Posting | undefined {
    const known = this.#known.get(name) ?? [];
    if (workload.about === undefined || this.#random.integer(1, aboutOf) > 1) return undefined;
    const other = known[this.#random.integer(0, Math.max(0, known.length - 1))];
    if (other === undefined) return undefined;
    return { domain: name, request: workload.about(this.#random.fraction, other.id, other.atMs), isAbout: true };
  }
}
