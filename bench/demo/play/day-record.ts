import type { Sale } from "../day/plan-day.ts";

/** What was acknowledged of one day. */
export class DayRecord {
  readonly #ids = new Set<string>();
  readonly #sold = new Map<string, Map<number, number>>();
  readonly #ofZones = new Map<string, number>();
  /** Purchases that an offline store has sent later, and how many of these the gateway had already. */
  kept = { sent: 0, knownBefore: 0 };
  /** Purchases whose retry was acknowledged with another id: they would be counted twice. */
  otherIds = 0;
  /** Events of other domains. */
  others = 0;

  /** The event ids of all acknowledged purchases. */
  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  acknowledge({ store, items }: Sale, id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    const { name } = store.zone;
    this.#ofZones.set(name, this.purchasesOf(name) + 1);
    const sold = this.#sold.get(name) ?? new Map<number, number>();
    this.#sold.set(name, sold);
    for (const [item, quantity] of items) sold.set(item, (sold.get(item) ?? 0) + quantity);
  }

  purchasesOf(zone: string): number {
    return this.#ofZones.get(zone) ?? 0;
  }

  /** The best-selling items of a zone, as the gateway ranks them: equal counts by the smaller id. */
  bestOf(zone: string, count: number): readonly (readonly [item: number, quantity: number])[] {
    const sold = [...(this.#sold.get(zone) ?? [])];
    return sold.toSorted(([a, soldOfA], [b, soldOfB]) => soldOfB - soldOfA || a - b).slice(0, count);
  }
}
