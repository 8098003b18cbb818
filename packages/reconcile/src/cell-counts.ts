import { sumOfCounts, type Series } from "@tally/contract";
import { idOf, type Board, type Id } from "@tally/redis";

/** Of a row, or folded counts: [[key, …], …]. */
export type Entries = readonly (readonly number[])[];

/** What a folded count adds. */
export const byOfCount = ([, by = NaN]: readonly number[]): number => by;

/** Parses the text of entries. Throws TypeError for anything but lists in a list. */
export function entriesOf(text: unknown): Entries {
  const entries: unknown = JSON.parse(String(text));
  if (!Array.isArray(entries) || !entries.every(Array.isArray)) throw new TypeError("expected a list of lists");
  return entries;
}

/** Counts by member and key, both integers. A count stops at ±(2^53 - 1), as in Redis. Each key of a member takes 8 bytes
 * in a typed array, or 16 if a key or a count of the member needs more than 32 bits, and the array is 7/16 to 7/8 full:
 * 9 to 18 bytes, or 18 to 37. For few members with many keys. */
export class CellCounts {
  readonly #members = new Map<number, KeyCounts>();
  /** Cells, also those whose counts add up to 0. */
  size = 0;

  /** Adds what each of some entries adds to its key. Throws TypeError for what is not an integer. */
  add(member: unknown, entries: Entries, by: Series["by"]): void {
    if (!isNatural(member)) throw new TypeError("expected a member");
    const keys = this.#members.getOrInsertComputed(member, noKeys);
    const before = keys.size;
    for (const entry of entries) {
      const [key, added] = [entry[0], by(entry)];
      if (!isNatural(key) || !Number.isInteger(added)) throw new TypeError("expected integers as [key, by]");
      if (added !== 0) keys.add(key, added);
    }
    this.size += keys.size - before;
  }

  /** Moves all counts of both into one of them. */
  static merged(one: CellCounts, other: CellCounts): CellCounts {
    const [into, from] = one.size < other.size ? [other, one] : [one, other];
    for (const [member, keys] of from.#members) {
      const own = into.#members.get(member) ?? noKeys();
      const [most, others] = own.size < keys.size ? [keys, own] : [own, keys];
      into.size += most.size - own.size;
      const before = most.size;
      others.each((key, count) => count !== 0 && most.add(key, count));
      into.size += most.size - before;
      into.#members.set(member, most);
      from.#members.delete(member);
    }
    return into;
  }

  /** The board of each member. A count of 0 is on no board. */
  *byMember(prefix: string): Generator<Board> {
    for (const [member, keys] of this.#members) {
      const cells: [number, number][] = [];
      keys.each((key, count) => count !== 0 && cells.push([key, count]));
      if (cells.length > 0) yield { board: `${prefix}${member}`, cells };
    }
  }

  /** The board of each key. Copies an eighth of the cells, or 256 parts, in the order of the parts, and makes the boards
   * of a part at a time: few, so they die young. All counts are read nine times at most. The copy takes 12 bytes a cell,
   * 24 if some numbers need more than 32 bits: a tenth of the counts, or 60 MB. */
  *byKey(prefix: string, cellsOfPart = 20_000): Generator<Board> {
    const bits = Math.ceil(Math.log2(Math.max(1, this.size / cellsOfPart)));
    const members = Array.from(this.#members, ([id, keys]) => ({ id, keys }));
    const Numbers = members.some(({ keys }) => keys.slots instanceof Float64Array) ? Float64Array : Int32Array;
    const sizes = new Uint32Array(2 ** bits);
    const countIn = (part: number) => (sizes[part] = (sizes[part] ?? 0) + 3);
    for (const { keys } of members) keys.each((_, __, part) => countIn(part), bits, 0, sizes.length);
    const partsOfCopy = Math.max(256, sizes.length / 8);
    for (let first = 0; first < sizes.length; first += partsOfCopy) {
      let length = 0;
      const ends = sizes.subarray(first, first + partsOfCopy).map((size) => (length += size) - size);
      const copy = new Numbers(length);
      for (const [index, { keys }] of members.entries()) {
        const add = (key: number, count: number, part: number): void => {
          const at = ends[part - first] ?? 0;
          ends[part - first] = at + 3;
          copy[at] = index;
          copy[at + 1] = key;
          copy[at + 2] = count;
        };
        keys.each(add, bits, first, first + ends.length);
      }
      let at = 0;
      for (const end of ends) {
        const boards = new Map<number, [number, number][]>();
        for (; at < end; at += 3) {
          const [index = 0, key = 0, count = 0] = [copy[at], copy[at + 1], copy[at + 2]];
          if (count !== 0) boards.getOrInsertComputed(key, noCells).push([members[index]?.id ?? 0, count]);
        }
        for (const [key, cells] of boards) yield { board: `${prefix}${key}`, cells };
      }
    }
  }
}

/** Counts of all boards: about 300 bytes for each, 9 to 37 for each member that is a number, 100 for a text. */
export class BoardCounts {
  readonly #boards = new Map<string, { readonly numbers: KeyCounts; readonly texts: Map<string, number> }>();

  /** Throws TypeError unless the board is text and `by` an integer. */
  add(board: unknown, member: unknown, by: unknown): void {
    if (typeof board !== "string" || !Number.isInteger(by)) throw new TypeError("expected a text and an integer");
    const counts = this.#boards.getOrInsertComputed(board, () => ({ numbers: new KeyCounts(), texts: new Map() }));
    if (by === 0) return;
    if (isNatural(member)) counts.numbers.add(member, Number(by));
    else counts.texts.set(String(member), sumOfCounts(counts.texts.get(String(member)), Number(by)));
  }

  *all(): Generator<Board> {
    for (const [board, { numbers, texts }] of this.#boards) {
      const cells: [Id, number][] = [];
      for (const [text, count] of texts) if (count !== 0) cells.push([idOf(text), count]);
      numbers.each((key, count) => count !== 0 && cells.push([key, count]));
      if (cells.length > 0) yield { board, cells };
    }
  }
}

const noKeys = () => new KeyCounts();
const noCells = (): [number, number][] => [];

function isNatural(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Open addressing: a key + 1 and its count side by side, in one line of the processor's cache. Without a key, 0 twice. */
type Slots = Int32Array | Float64Array;

const wordMax = 2 ** 31 - 1;

class KeyCounts {
  /** Numbers of 64 bits from the first key or count on that needs more than 32. */
  slots: Slots = new Int32Array(2 * 4);
  size = 0;

  add(key: number, by: number): void {
    const at = slotOf(this.slots, key);
    const isNew = this.slots[at] === 0;
    const sum = sumOfCounts(this.slots[at + 1], by);
    if (this.slots instanceof Int32Array && (key >= wordMax || Math.abs(sum) > wordMax)) {
      this.#moveTo(new Float64Array(this.slots.length));
      return this.add(key, by);
    }
    this.slots[at] = key + 1;
    this.slots[at + 1] = sum;
    if (!isNew || ++this.size * 16 <= this.slots.length * 7) return;
    const { length } = this.slots;
    this.#moveTo(this.slots instanceof Int32Array ? new Int32Array(length * 2) : new Float64Array(length * 2));
  }

  /** Calls `use` for the keys of the parts from `first` to before `end`. A part: the first `bits` bits of a hash. */
  each(use: (key: number, count: number, part: number) => void, bits = 0, first = 0, end = 1): void {
    const slots = this.slots;
    for (let at = 0; at < slots.length; at += 2) {
      const key = (slots[at] ?? 0) - 1;
      if (key < 0) continue;
      const part = bits === 0 ? 0 : hashOf(key) >>> (32 - bits);
      if (part >= first && part < end) use(key, slots[at + 1] ?? 0, part);
    }
  }

  #moveTo(slots: Slots): void {
    this.each((key, count) => {
      const at = slotOf(slots, key);
      slots[at] = key + 1;
      slots[at + 1] = count;
    });
    this.slots = slots;
  }
}

/** Where the key is, or belongs. */
function slotOf(slots: Slots, key: number): number {
  const mask = slots.length - 1;
  let at = (hashOf(key) << 1) & mask;
  while (slots[at] !== 0 && slots[at] !== key + 1) at = (at + 2) & mask;
  return at;
}

/** 32 bits, each of which depends on all 53 of the key. */
export function hashOf(key: number): number {
  let hash = Math.imul((key >>> 0) ^ Math.imul((key / 2 ** 32) >>> 0, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
