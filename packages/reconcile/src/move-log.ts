import { idOf, type Id } from "@tally/redis";
import { chainBoards, splitBoards, type MirroredBoards, type Moves } from "@tally/contract";

/** The lists of one side of mirrored boards, by key or member. Side 0 is that of keys, side 2 that of members. */
interface Side {
  readonly at: 0 | 2;
  readonly lists: Map<string, number>;
}

/**
 * Moves in the order of their arrival. A move is written once, and not once for each board that shows it: it takes 24
 * bytes. Each key and each member has a list of its moves, the newest first. The sums of a board are added up when they
 * are asked for.
 */
export class MoveLog implements Pick<Moves, "add" | "addMirrored"> {
  /** Moves until now: the place of the next one. */
  length = 0;
  /** Of each move: the list of its key, the move before in that list, the same of its member. */
  #links = new Int32Array(4096);
  #by = new Float64Array(1024);
  /** By list: the id of its key or member, and its newest move. */
  readonly #ids: Id[] = [];
  readonly #newest: number[] = [];
  readonly #pairs = new Map<string, readonly [keys: Side, members: Side]>();
  /** By the prefix of boards. An ordinary board is the prefix of one key without text. */
  readonly #sides = new Map<string, Side[]>();
  /** Boards of the chain: each member is the sum of a list. */
  readonly #chains = new Map<string, Side[]>();
  #last: MirroredBoards | undefined;
  #pair: readonly [Side, Side] = [sideAt(0), sideAt(2)];

  add(board: string, member: string, by: number): void {
    const pair = this.#pairs.getOrInsertComputed(board, () => {
      const keys = sideAt(0);
      pushTo(this.#sides, board, keys);
      return [keys, sideAt(2)];
    });
    this.#push(pair, "", member, by);
  }

  addMirrored(boards: MirroredBoards, key: string, member: string, by: number): void {
    if (boards !== this.#last) {
      this.#last = boards;
      this.#pair = this.#pairs.getOrInsertComputed(`${boards.prefix} ${boards.mirrorPrefix}`, () =>
        this.#mirror(boards),
      );
    }
    this.#push(this.#pair, key, member, by);
  }

  /** The names of all boards that were moved. */
  *boards(): Generator<string> {
    for (const [prefix, sides] of this.#sides)
      for (const { lists } of sides) for (const name of lists.keys()) yield prefix + name;
    yield* this.#chains.keys();
  }

  /** What the moves from a place on add to a board: member → sum of `part` of each move. */
  sums(board: string, from = 0, part = (by: number): number => by): Map<Id, number> {
    const sums = new Map<Id, number>();
    const add = (member: Id, by: number) => sums.set(member, (sums.get(member) ?? 0) + part(by));
    const prefix = board.slice(0, board.indexOf(":") + 1);
    for (const [of, key] of [[board, ""] as const, [prefix, board.slice(prefix.length)] as const])
      for (const side of this.#sides.get(of) ?? [])
        this.#walk(side, side.lists.get(key), from, (other, by) => add(this.#ids[other] ?? "", by));
    for (const side of this.#chains.get(board) ?? [])
      for (const list of side.lists.values()) {
        if ((this.#newest[list] ?? -1) >= from) this.#walk(side, list, from, (_, by) => add(this.#ids[list] ?? "", by));
      }
    return sums;
  }

  #mirror(boards: MirroredBoards): readonly [Side, Side] {
    const pair = [sideAt(0), sideAt(2)] as const;
    for (const one of splitBoards(boards)) {
      const chain = chainBoards(one);
      for (const [side, prefix, ofChain] of [
        [pair[0], one.prefix, chain?.keys],
        [pair[1], one.mirrorPrefix, chain?.members],
      ] as const) {
        pushTo(this.#sides, prefix, side);
        if (ofChain !== undefined) pushTo(this.#chains, ofChain, side);
      }
    }
    return pair;
  }

  #push([keys, members]: readonly [Side, Side], key: string, member: string, by: number): void {
    const move = this.length++;
    if (move === this.#by.length) this.#grow();
    this.#link(move, keys, key);
    this.#link(move, members, member);
    this.#by[move] = by;
  }

  #grow(): void {
    const [links, by] = [new Int32Array(2 * this.#links.length), new Float64Array(2 * this.#by.length)];
    links.set(this.#links);
    by.set(this.#by);
    [this.#links, this.#by] = [links, by];
  }

  #link(move: number, { at, lists }: Side, name: string): void {
    let list = lists.get(name);
    if (list === undefined) {
      list = this.#ids.push(idOf(name)) - 1;
      lists.set(name, list);
      this.#newest.push(-1);
    }
    this.#links[4 * move + at] = list;
    this.#links[4 * move + at + 1] = this.#newest[list] ?? -1;
    this.#newest[list] = move;
  }

  #walk({ at }: Side, list: number | undefined, from: number, visit: (other: number, by: number) => void): void {
    if (list === undefined) return;
    for (let move = this.#newest[list] ?? -1; move >= from; move = this.#links[4 * move + at + 1] ?? -1)
      visit(this.#links[4 * move + 2 - at] ?? 0, this.#by[move] ?? 0);
  }
}

const sideAt = (at: 0 | 2): Side => ({ at, lists: new Map() });

function pushTo(sides: Map<string, Side[]>, name: string, side: Side): void {
  sides.getOrInsertComputed(name, () => []).push(side);
}
