import {
  contentOf,
  type Domain,
  type Event,
  type EventId,
  fingerprintOf,
  firstProblem,
  IdempotencyKey,
  InvalidInput,
  type SqlReader,
} from "@tally/contract";
import { Compile } from "typebox/compile";
import { rejection } from "../errors/catalogue.ts";
import { ClientError, isUnavailable } from "../errors/reject.ts";
import type { KeyMemory, KeyState } from "./key-memory.ts";

/** Checks the Idempotency-Keys of one domain's events. */
export class DomainKeys {
  readonly #memory: KeyMemory;
  readonly #domain: Domain;
  readonly #rows: SqlReader;
  readonly #onCheck: (state: KeyState["state"]) => void;

  /** `rows`: the write endpoint, because a replica may be behind. */
  constructor(domain: Domain, memory: KeyMemory, rows: SqlReader, onCheck: (state: KeyState["state"]) => void) {
    this.#domain = domain;
    this.#memory = memory;
    this.#rows = rows;
    this.#onCheck = onCheck;
  }

  contentOf(event: Event): string {
    return contentOf(event, this.#domain.arrivalFields);
  }

  /** The event with this time of arrival. */
  arrivedAt<E extends Event>(event: E, atMs: number): E {
    const { arrivalFields = [] } = this.#domain;
    return arrivalFields.length === 0
      ? event
      : { ...event, ...Object.fromEntries(arrivalFields.map((name) => [name, atMs])) };
  }

  /**
   * Binds the key with this id to a content, which is `contentOf` an event. Returns when this content first arrived, in ms since 1970. Throws
   * IDEMPOTENCY_KEY_REUSED, naming `field`, when the key is bound to other content. `eventId`: the event's, absent for a key of several events.
   *
   * If Redis lost the key, a later content may have bound it and become a dead letter. So before an event is rejected, its row is compared,
   * once for each key: a retry of the stored event is accepted at any later time.
   */
  async bind(id: EventId, content: string, field: string, eventId?: EventId): Promise<number> {
    const known = await this.#memory.check(id, fingerprintOf(content));
    this.#onCheck(known.state);
    if (known.state !== "other") return known.firstAtMs;
    const stored = eventId === undefined || known.isOfRow ? undefined : await this.#storedContent(eventId);
    if (stored === "unknown") return known.firstAtMs;
    if (stored !== undefined) await this.#memory.bindToRow(id, fingerprintOf(stored.content), known.firstAtMs);
    if (stored?.content !== content) throw new ClientError(rejection("IDEMPOTENCY_KEY_REUSED", { field }));
    return known.firstAtMs;
  }

  /** "unknown": the database is unavailable. The event is accepted then, because a wrong 422 would make its client send it twice. */
  async #storedContent(eventId: EventId): Promise<{ readonly content: string } | "unknown" | undefined> {
    try {
      const [event] = await this.#domain.store.read(this.#rows, [eventId]);
      return event && { content: this.contentOf(event) };
    } catch (error) {
      if (isUnavailable(error)) return "unknown";
      throw error;
    }
  }
}

/** The header's name, as errors give it. */
export const keyHeader = "Idempotency-Key";

const check = Compile(IdempotencyKey);

/** The request's Idempotency-Key, checked; undefined when it has none. Throws InvalidInput. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== "string" || !check.Check(header)) {
    throw new InvalidInput(keyHeader, firstProblem(check, header).expected, header);
  }
  return header;
}
