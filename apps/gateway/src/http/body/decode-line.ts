/** The client of a body. */
export interface DecodeOwner {
  /** From clientOf. */
  readonly client: string;
  /** Its connection is closed: nothing needs the result. */
  readonly isGone: () => boolean;
}

interface Waiting {
  readonly owner: DecodeOwner;
  /** Does the work and calls `leave` when it is done. */
  readonly work: (leave: () => void) => void;
}

export interface DecodeLimits {
  readonly atOnceMax: number;
  readonly perClientMax: number;
  readonly waitingPerClientMax: number;
}

/**
 * Bounds how many bodies are decoded at once: in all, and for one client. Clients take turns, each with its own queue, so that one client's
 * expensive bodies do not delay those of others. Work whose connection is closed is dropped.
 */
export class DecodeLine {
  readonly #limits: DecodeLimits;
  /** By client; the client whose turn is next comes first. One without waiting or running work is removed. */
  readonly #clients = new Map<string, { readonly waiting: Waiting[]; running: number }>();
  #running = 0;

  constructor(limits: DecodeLimits) {
    this.#limits = limits;
  }

  /** False when too much work of this client waits already; then it is not taken. */
  enter(owner: DecodeOwner, work: Waiting["work"]): boolean {
    const own = this.#clients.get(owner.client) ?? { waiting: [], running: 0 };
    if (own.waiting.length >= this.#limits.waitingPerClientMax) return false;
    own.waiting.push({ work, owner });
    this.#clients.set(owner.client, own);
    this.#startNext();
    return true;
  }

  #startNext(): void {
    for (const [client, own] of this.#clients) {
      if (this.#running >= this.#limits.atOnceMax) return;
      while (own.waiting[0]?.owner.isGone() === true) own.waiting.shift();
      if (own.waiting.length === 0 && own.running === 0) this.#clients.delete(client);
      const next = own.running < this.#limits.perClientMax ? own.waiting.shift() : undefined;
      if (next === undefined) continue;
      // Moves the client to the end of the rotation, where this loop visits it again.
      this.#clients.delete(client);
      this.#clients.set(client, own);
      own.running++;
      this.#running++;
      next.work(() => {
        own.running--;
        this.#running--;
        this.#startNext();
      });
    }
  }
}
