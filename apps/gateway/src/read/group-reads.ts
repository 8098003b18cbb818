import type { KeyedRead, ReadKey } from "@tally/pipeline";
import { GroupRead, type GroupReadOptions } from "./group-read.ts";

/** Reads rows of any kind on one endpoint: those of one kind that are asked for at about the same time, in one statement. */
export class GroupReads {
  readonly #o: GroupReadOptions;
  /** KeyedRead<K, T> → GroupRead<K, T> */
  readonly #groups = new Map<object, unknown>();

  constructor(options: GroupReadOptions) {
    this.#o = options;
  }

  /** Rejects as the reader does, and with ReadsFull. */
  read<K extends ReadKey, T>(what: KeyedRead<K, T>, key: K): Promise<T> {
    // What is kept under a kind was made for it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const known = this.#groups.get(what) as GroupRead<K, T> | undefined;
    const group = known ?? new GroupRead(what, this.#o);
    if (known === undefined) this.#groups.set(what, group);
    return group.read(key);
  }
}
