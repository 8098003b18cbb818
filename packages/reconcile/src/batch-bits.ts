/** Which batches there are, one bit each: bit n of a producer, highest bit of a byte first, is its sequence n, as Redis counts. */
export class BatchBits {
  readonly #bits = new Map<string, Buffer>();

  /** Takes two columns of the ledger as they come. */
  set(producer: unknown, sequence: unknown): void {
    if (!Buffer.isBuffer(producer) || typeof sequence !== "number") {
      throw new TypeError("expected the columns producer and sequence of a batch");
    }
    const name = producer.toString("hex");
    const at = sequence >>> 3;
    let bits = this.#bits.get(name) ?? Buffer.alloc(1024);
    if (at >= bits.length) bits = Buffer.concat([bits], Math.max(bits.length * 2, at + 1));
    bits.writeUInt8(bits.readUInt8(at) | (0x80 >>> (sequence & 7)), at);
    this.#bits.set(name, bits);
  }

  /** The bits of each producer. */
  all(): Iterable<readonly [producer: string, bits: Buffer]> {
    return this.#bits;
  }
}
