// Reads of all domains are executed by the same code, so their types are erased; the literal SELECT is beside them.
// oxlint-disable typescript/no-unsafe-type-assertion
import type { Event } from "./encoded-event.ts";
import type { EventId } from "./event-id.ts";
import type { SqlParameter, SqlReader } from "./sql.ts";

/** Where queries read: rows from the read endpoint, boards from Redis. */
export interface Sources {
  readonly rows: SqlReader;
  /** ISO 4217, of the setting CURRENCY. */
  readonly currency?: string | undefined;
  /** Concurrent calls share one statement, and its failure. Throws what the reader throws, and when too many calls
   * wait. */
  readonly read: <K extends ReadKey, T>(what: KeyedRead<K, T>, key: K) => Promise<T>;
  /** The same from the write endpoint, so that it has every commit; from the read endpoint while that cannot be read. */
  readonly readNewest: Sources["read"];
  /** From the read endpoint or from memory, a few seconds old: for what decorates a response. Undefined, or older, when
   * the rows cannot be read within a moment. */
  readonly readKept: <K extends ReadKey, T>(what: KeyedRead<K, T>, key: K) => T | undefined | Promise<T | undefined>;
  /** The rows of one large SELECT from the read endpoint, each an array of its columns, in chunks as of one moment.
   * Calls wait for each other. What `take` throws ends it. */
  readonly stream: (
    sql: string,
    values: readonly SqlParameter[],
    take: (rows: readonly (readonly unknown[])[]) => Promise<void>,
  ) => Promise<void>;
  readonly boards: BoardReader;
  /** What the event of a form brought, from its 2xx on, on any gateway and with any replica lag; undefined: no such
   * event. For a recent event that is not stored yet it waits, and may throw an error that asks the client to retry. */
  readonly find: <T>(lookup: Lookup<T>, eventId: EventId, acceptedAtMs: number) => Promise<T | undefined>;
}

/** The value of one column, or of each of several. */
export type ReadKey = readonly (number | string | Buffer)[];

/** How rows are read for many keys at once. One object for each kind, made once. */
export interface KeyedRead<K extends ReadKey, T> {
  /** A literal SELECT … (a, b) IN (?) …, which takes keys and returns the key of each row. */
  readonly select: string;
  /** The columns of the key, in its order. Each comes back equal to what was sent: integers, bytes of the column's
   * length, text with a binary collation without a space at its end. Absent: `values`. */
  readonly key?: { readonly [Part in keyof K]: string };
  /** What `select` takes instead, for one key. */
  readonly values?: (key: K) => readonly SqlParameter[];
  /** Limits the memory and the time of a statement. With `values` it is 1. */
  readonly keysMax: number;
  /** The value of a key from all its rows; the list may be empty. */
  readonly ofRows: (rows: readonly object[], key: K) => T;
}

/** How something is read by the 16 bytes of its event's id, the column `id` of its rows; undefined without rows. */
export interface Lookup<T> extends KeyedRead<readonly [Buffer], T | undefined> {
  /** The same from an event that may have no row yet; undefined: this kind of event has no such value. */
  readonly ofEvent: (event: Event) => T | undefined;
}

export interface BoardReader {
  /** The `limit` members with the highest counts, at most 100; equal counts by the smaller id. Unknown boards are
   * empty. */
  top(board: string, limit: number): Promise<BoardTop>;
  /** The count of one member; 0 if the member is not on the board. */
  count(board: string, member: string): Promise<number>;
  /** All cells of some boards; undefined for one that is not kept. Rejects while rankings are rebuilt. */
  whole(boards: readonly string[]): Promise<WholeBoards>;
}

export interface WholeBoards {
  readonly cells: readonly (ReadonlyMap<string, number> | undefined)[];
  /** As in BoardTop. */
  readonly asOf: number | undefined;
}

export interface BoardTop {
  /** False: members may be missing, because Redis keeps too few of the board's members in order; of a key or a member of
   * mirrored counts also because it lacks the rankings. Then `top` and `count` of other boards reject. */
  readonly isExact: boolean;
  readonly entries: readonly { readonly member: string; readonly count: number }[];
  /** Of the stores of the chain: the sum of all counts. */
  readonly total?: number;
  /** When the newest ranked batch was stored, in ms since 1970; undefined before the first. */
  readonly asOf: number | undefined;
}

/** Gives a keyed read the types of its key and its rows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function keyedRead<K extends ReadKey, Row extends object, T>(
  read: Omit<KeyedRead<K, T>, "key" | "keysMax" | "ofRows"> & {
    readonly key?: { readonly [Part in keyof K]: keyof Row & string };
    readonly keysMax?: number;
    readonly ofRows: (rows: readonly Row[], key: K) => T;
  },
): KeyedRead<K, T> {
  return { keysMax: 1, ...read } as unknown as KeyedRead<K, T>;
}

/** Gives a lookup the types of its rows and of its domain's events. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function lookup<E extends Event, Row extends object, T>(
  of: Omit<Lookup<T>, "key" | "ofRows" | "ofEvent"> & {
    readonly ofRows: (rows: readonly Row[]) => T | undefined;
    readonly ofEvent: (event: E) => T | undefined;
  },
): Lookup<T> {
  return { ...of, key: ["id"] } as unknown as Lookup<T>;
}
