import { contentOf, fingerprintOf, type Domain, type Event, type EventId } from "@tally/pipeline";
import type { KeyMemory, KeyState } from "./key-memory.ts";

/** An Idempotency-Key came with other content than the first time. Becomes a 422. */
export class KeyReused extends Error {
  readonly code = "KEY_REUSED";

  constructor(field: string) {
    super(`${field}: expected the content that this key was first sent with, got other content; use a new key for it`);
  }
}

/** Checks the Idempotency-Keys of one domain's events. */
export class DomainKeys {
  readonly #memory: KeyMemory;
  readonly #domain: Domain;
  readonly #onCheck: (state: KeyState["state"]) => void;

  constructor(domain: Domain, memory: KeyMemory, onCheck: (state: KeyState["state"]) => void) {
    this.#domain = domain;
    this.#memory = memory;
    this.#onCheck = onCheck;
  }

  contentOf(event: Event): string {
    return contentOf(event, this.#domain.arrivalFields);
  }

  /**
   * Binds the key with this id to a content, which is `contentOf` an event. Returns when this content first came, in ms since 1970. Throws
   * KeyReused, naming `field`, when the key is bound to other content.
   */
  async bind(id: EventId, content: string, field: string): Promise<number> {
    const known = await this.#memory.check(id, fingerprintOf(content));
    this.#onCheck(known.state);
    if (known.state === "other") throw new KeyReused(field);
    return known.firstAtMs;
  }
}
