import { selectKeptEvents } from "@tally/database";
import { eventIdOfBytes, type Domain, type SqlSnapshot } from "@tally/contract";
import { Findings, type Found } from "./findings.ts";
import { readTables } from "./read-tables.ts";

/** Compares the ids of acknowledged events with the rows. */
export interface IdAudit {
  /** Acknowledged ids with a row. */
  readonly stored: number;
  /** Acknowledged ids without a row, kept as dead letters. */
  readonly deadLetters: number;
  /** Rows whose id another row has too. */
  readonly doubled: number;
  /** Rows with other ids: their clients got no response, or another list has them. */
  readonly others: Found<string>;
}

/** Ticks off every stored id. Ids without a tick after all domains are not stored. */
export async function auditIds(
  snapshot: SqlSnapshot,
  domain: Domain,
  acknowledged: IdSet,
  onProgress: (rows: number) => void,
): Promise<IdAudit> {
  const others = new Findings<string>();
  let stored = 0;
  let doubled = 0;
  let seen = 0;
  for await (const rows of readTables(snapshot, domain.recount.ids)) {
    for (const [id] of rows) {
      if (!Buffer.isBuffer(id)) throw new TypeError(`${domain.name}: recount.ids must return ids of 16 bytes`);
      const found = acknowledged.tick(id);
      if (found === "ticked") stored++;
      else if (found === "again") doubled++;
      else others.add(eventIdOfBytes(id));
    }
    onProgress((seen += rows.length));
  }
  let deadLetters = 0;
  for await (const rows of snapshot.stream(selectKeptEvents, [domain.name])) {
    for (const [id] of rows) if (Buffer.isBuffer(id) && acknowledged.tick(id) === "ticked") deadLetters++;
  }
  return { stored, deadLetters, doubled, others };
}

const wordsPerId = 4;

/** A set of event ids, 16 bytes each, that can be ticked off: open addressing in typed arrays, 33 bytes for each id at
 * most half full. Ten million ids need 660 MB less than a Set of their texts, and are ticked off in 3 s. */
export class IdSet {
  #words = new Uint32Array(1024 * wordsPerId);
  // 0 free, 1 held, 2 held and ticked off.
  #states = new Uint8Array(1024);
  size = 0;
  ticked = 0;

  /** False: the id was there already. */
  add(id: Buffer): boolean {
    if (this.size * 2 >= this.#states.length) this.#grow();
    const words = wordsOf(id);
    const slot = this.#slotOf(words);
    if (this.#states[slot] !== 0) return false;
    this.#states[slot] = 1;
    this.#words.set(words, slot * wordsPerId);
    this.size++;
    return true;
  }

  /** "unknown": not held. "again": it was ticked off before. */
  tick(id: Buffer): "ticked" | "again" | "unknown" {
    const slot = this.#slotOf(wordsOf(id));
    if (this.#states[slot] === 0) return "unknown";
    if (this.#states[slot] === 2) return "again";
    this.#states[slot] = 2;
    this.ticked++;
    return "ticked";
  }

  /** Ids that were not ticked off. */
  *unticked(): Generator<string> {
    for (const [slot, state] of this.#states.entries()) {
      if (state !== 1) continue;
      const words = this.#words.subarray(slot * wordsPerId, (slot + 1) * wordsPerId);
      const hex = Array.from(words, (word) => word.toString(16).padStart(8, "0")).join("");
      yield eventIdOfBytes(Buffer.from(hex, "hex"));
    }
  }

  #slotOf(words: readonly number[]): number {
    const mask = this.#states.length - 1;
    // The last words of an id are random; the product spreads ids that differ in one bit.
    let slot = Math.imul((words[3] ?? 0) ^ (words[2] ?? 0), 0x9e3779b1) >>> 0;
    for (; ; slot++) {
      slot &= mask;
      if (this.#states[slot] === 0) return slot;
      const at = slot * wordsPerId;
      if (words.every((word, index) => this.#words[at + index] === word)) return slot;
    }
  }

  #grow(): void {
    const words = this.#words;
    const states = this.#states;
    this.#words = new Uint32Array(words.length * 2);
    this.#states = new Uint8Array(states.length * 2);
    for (const [slot, state] of states.entries()) {
      if (state === 0) continue;
      const id = words.subarray(slot * wordsPerId, (slot + 1) * wordsPerId);
      const next = this.#slotOf([...id]);
      this.#states[next] = state;
      this.#words.set(id, next * wordsPerId);
    }
  }
}

function wordsOf(id: Buffer): readonly number[] {
  return [id.readUInt32BE(0), id.readUInt32BE(4), id.readUInt32BE(8), id.readUInt32BE(12)];
}
