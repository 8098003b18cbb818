/** Limits the memory that all clients hold together, and the share of it that one address holds. */
export class ByteBudget {
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(max: number, addressShare: number) {
    this.#max = max;
    this.#perAddressMax = max * addressShare;
  }

  /** Takes bytes. Returns false, and takes none, when they would exceed the budget or the limit of the address. */
  take(address: string, bytes: number): boolean {
    const held = (this.#held.get(address) ?? 0) + bytes;
    if (this.#total + bytes > this.#max || held > this.#perAddressMax) return false;
    this.#total += bytes;
    this.#held.set(address, held);
    return true;
  }

  /** Gives back bytes that were taken. */
  release(address: string, bytes: number): void {
    const held = (this.#held.get(address) ?? 0) - bytes;
    this.#total -= bytes;
    if (held === 0) this.#held.delete(address);
    else this.#held.set(address, held);
  }
}
