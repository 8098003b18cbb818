/** The client of a body. */
export interface DecodeOwner {
  /** The client as clientOf gives it. */
  readonly client: string;
  /** Its connection is closed: nothing needs the result. */
  readonly isGone: () => boolean;
}

/** Does the work and calls `leave` when it is done. */
type Work = (leave: () => void) => void;

interface Waiting {
  readonly work: Work;
  readonly owner: DecodeOwner;
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
  /** By client; the client whose turn is next comes first. A client without waiting or running work is not in it. */
  readonly #clients = new Map<string, { readonly waiting: Waiting[]; running: number }>();
  #running = 0;

  constructor(limits: DecodeLimits) {
    this.#limits = limits;
  }

  /** False when too much work of this client waits already; then it is not taken. */
  enter(owner: DecodeOwner, work: Work): boolean {
    const own = this.#clients.get(owner.client) ?? { waiting: [], running: 0 };
    if (own.waiting.length >= this.#limits.waitingPerClientMax) return false;
    own.waiting.push({ work, owner });
    this.#clients.set(owner.client, own);
    this.#startNext();
    return true;
  }

  #startNext(): void {
    while (this.#running < this.#limits.atOnceMax) {
      const next = this.#next();
      if (next === undefined) return;
      this.#start(next.client, next.work);
    }
  }

  #next(): { readonly client: string; readonly work: Work } | undefined {
    for (const [client, own] of this.#clients) {
      while (own.waiting[0]?.owner.isGone() === true) own.waiting.shift();
      if (own.waiting.length === 0 && own.running === 0) this.#clients.delete(client);
      if (own.running >= this.#limits.perClientMax) continue;
      const first = own.waiting.shift();
      if (first === undefined) continue;
      // To the end of the turns.
      this.#clients.delete(client);
      this.#clients.set(client, own);
      own.running++;
      return { client, work: first.work };
    }
    return undefined;
  }

  #start(client: string, work: Work): void {
    this.#running++;
    work(() => {
      this.#running--;
      const own = this.#clients.get(client);
      if (own !== undefined) {
        own.running--;
        if (own.running === 0 && own.waiting.length === 0) this.#clients.delete(client);
      }
      this.#startNext();
    });
  }
}
