/*
 * The form of a shard's moves, which encode-moves.ts of packages/redis writes as MessagePack. A Redis script that fails
 * does not undo its writes, so the whole form is checked before a script gets it. The bytes are checked without being
 * decoded: 10 to 20 ns for each text or number, 0.1 µs for a purchase of 5 items (a board's script: 22 µs).
 */

/** A list repeats its forms. change: an integer. short: up to 255 bytes, because the script copies it for each change;
 * ids have up to 17. prefix: likewise, or two with a comma: joinBoards joins those of all time and of a day. */
type Form = "text" | "short" | "prefix" | "change" | readonly Form[];

const boards: Form = ["short", ["text", "change"]];
// Prefix, mirror prefix, members with their keys.
const mirrored: Form = ["prefix", "prefix", ["short", ["text", "change"]]];
const listOfTwo = 0x92;

/** Throws RangeError for anything that encodeMoves does not write. Terminates for any bytes. */
export function checkMoves(bytes: Buffer): void {
  const reader = new FormReader(bytes);
  reader.expect("two lists", reader.unsigned(1) === listOfTwo);
  reader.read(boards);
  reader.read(mirrored);
  reader.expect("the end", reader.at === bytes.length);
}

class FormReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  expect(what: string, isSo: boolean): void {
    if (!isSo) throw new RangeError(`expected ${what} before byte ${this.at} of ${this.#bytes.length}`);
  }

  /** After the end it throws a RangeError of Node. */
  unsigned(size: number): number {
    this.at += size;
    return this.#bytes.readUIntBE(this.at - size, size);
  }

  read(form: Form): void {
    if (form === "change") this.expect("an integer", Number.isSafeInteger(this.#number()));
    else if (typeof form === "string") {
      const length = this.#textLength();
      this.at += length;
      if (form !== "text") this.expect("up to 255 bytes", length < 256);
      if (form === "prefix") {
        const text = this.#bytes.subarray(this.at - length, this.at);
        this.expect("up to two prefixes", text.indexOf(",") === text.lastIndexOf(","));
      }
    } else {
      const length = this.#listLength();
      if (length % form.length !== 0) this.expect(`a multiple of ${form.length}`, false);
      for (let left = length; left > 0; left -= form.length) for (const part of form) this.read(part);
    }
  }

  #listLength(): number {
    const first = this.unsigned(1);
    if ((first & 0xf0) === 0x90) return first & 0x0f;
    this.expect("a list", first === 0xdc || first === 0xdd);
    return this.unsigned(first === 0xdc ? 2 : 4);
  }

  #textLength(): number {
    const first = this.unsigned(1);
    if ((first & 0xe0) === 0xa0) return first & 0x1f;
    this.expect("a text", first >= 0xd9 && first <= 0xdb);
    return this.unsigned(2 ** (first - 0xd9));
  }

  #number(): number {
    const first = this.unsigned(1);
    if (first < 0x80) return first;
    if (first >= 0xe0) return first - 0x100;
    if (first >= 0xcc && first <= 0xce) return this.unsigned(2 ** (first - 0xcc));
    const isInteger = first >= 0xd0 && first <= 0xd2;
    this.expect("a number", isInteger || first === 0xcb);
    const size = isInteger ? 2 ** (first - 0xd0) : 8;
    this.at += size;
    return isInteger ? this.#bytes.readIntBE(this.at - size, size) : this.#bytes.readDoubleBE(this.at - size);
  }
}
