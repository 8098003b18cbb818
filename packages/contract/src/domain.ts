import type { TSchema } from "typebox";
import type { BatchId } from "./batch.ts";
import type { Event } from "./encoded-event.ts";
import type { EventFiles } from "./files.ts";
import type { BulkRoute, FormRoute, IngestRoute, ContentRoute, PutRoute, QueryRoute } from "./routes.ts";
import type { Moves, MirroredBoards } from "./moves.ts";
import type { KeptSeries } from "./series.ts";
import type { BoardReader, Sources } from "./sources.ts";
import type { View } from "./view.ts";
import type { RowRanges } from "./row-ranges.ts";
import type { SqlReader, SqlTransaction } from "./sql.ts";

/** One kind of events with all of its business rules. The apps know domains only through this type. */
export interface Domain<E extends Event = Event, C extends Change<E> = Change<E>> {
  /** Lower case with dashes. Names its queues, its rankings, its rows in the ledger and its label in the metrics. */
  readonly name: string;
  /** One sentence for the API reference. */
  readonly description: string;
  /** The stored event. The writer checks with it what a message holds. */
  readonly event: TSchema;
  /** In every message; raise it with every change of `event`, which must accept earlier events: they may be queued or
   * dead letters. A writer of an earlier release keeps a message of a later version whole, as a dead letter. */
  readonly eventVersion: number;
  /** Fields with the time of arrival, in ms since 1970; they are not content. A retry with a key gets the time of its
   * first arrival, because it may be stored before the first one. */
  readonly arrivalFields?: readonly (keyof E & string)[];
  readonly routes: readonly (IngestRoute<E> | FormRoute<E> | BulkRoute<E>)[];
  readonly store: Store<E, C>;
  /** Pure: what changed rows mean for the boards. Called once for each batch, with the changes of that batch only.
   * `kept`: the series that get moves. */
  readonly rank: (changes: readonly C[], moves: Moves, kept: KeptSeries) => void;
  readonly recount: Recount;
  /** Absent: its changes are not published. */
  readonly feed?: Feed<C>;
  /** Notes over time what the rankings show; returns how many alerts there are, by rule. Called each minute, by several
   * processes at once perhaps. Absent: nothing. */
  readonly watch?: (sources: WatchSources) => Promise<Readonly<Record<string, number>>>;
  /** Absent: its rows are kept for ever. */
  readonly retention?: Retention<E>;
  readonly queries: readonly (QueryRoute | ContentRoute)[];
  readonly puts: readonly PutRoute[];
  /** What of the settings of a gateway contradicts stored rows: then it does not start. */
  readonly settingProblem?: (
    sources: Sources,
  ) => Promise<Readonly<Record<"variable" | "expected" | "got", string>> | undefined>;
  readonly views: readonly View[];
  readonly files?: EventFiles<E>;
  /** Events or configuration with files of their own, by the name that `tally export` and `tally import` take. */
  readonly otherFiles?: Readonly<Record<string, OtherFiles>>;
  /** The key of the sentence in this domain's error bodies. */
  readonly errorKey: "message" | "msg";
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
}

export interface OtherFiles {
  /** Takes what was exported. */
  readonly route: BulkRoute<Event> | PutRoute;
  readonly files: EventFiles;
}

/** Gives other files the types of their rows, then erases them. */
export function otherFiles<E extends Event, F extends Event>(
  route: BulkRoute<E> | PutRoute,
  files: EventFiles<F>,
): OtherFiles {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { route, files } as unknown as OtherFiles;
}

/** `F`: the events with files, if the domain has others too. */
type DomainParts<E extends Event, C extends Change<E>, F extends E> = Omit<
  Domain<E, C>,
  "errorKey" | "eventVersion" | "files" | "puts"
> & {
  readonly puts?: readonly PutRoute[];
  readonly eventVersion?: number;
  readonly files?: EventFiles<F>;
  readonly errorKey?: "msg";
};

/** Lets the compiler check a domain's parts against each other, then erases their types for the list of domains. */
export function defineDomain<E extends Event, C extends Change<E>, F extends E>(parts: DomainParts<E, C, F>): Domain {
  // Each part is called only with values of the same domain, so its own types hold.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { errorKey: "message", eventVersion: 1, puts: [], ...parts } as unknown as Domain;
}

export interface BatchEvent<E extends Event = Event> {
  readonly event: E;
  readonly batch: BatchId;
}

/** An event that added or replaced a row. A domain may add what it replaced. */
export type Change<E extends Event = Event> = BatchEvent<E>;

/** A change or an alert as subscribers see it; a CloudEvent is made of it. */
export interface FeedEvent {
  /** The event id. */
  readonly id: string;
  /** Its end is the version of `data`. */
  readonly type: string;
  readonly subject: string;
  /** Default: that of its batch. */
  readonly time?: string;
  readonly data: object;
}

/** `rows`: of the write endpoint. `nowMs`: by its clock. */
export interface WatchSources extends Pick<Sources, "rows"> {
  readonly boards: Pick<BoardReader, "top" | "whole">;
  readonly nowMs: number;
  readonly transaction: <T>(work: (transaction: SqlTransaction) => Promise<T>) => Promise<T>;
  /** Publishes to the change feed; false: not now. Absent: there is no feed. */
  readonly publish?: ((events: readonly FeedEvent[]) => Promise<boolean>) | undefined;
}

interface Feed<C extends Change> {
  readonly eventOf: (change: C) => FeedEvent;
  /** Reads the stored events among these ids from their rows. */
  readonly read: (reader: SqlReader, eventIds: readonly string[]) => Promise<readonly FeedEvent[]>;
  /** The schema of `data`, by type. */
  readonly schemas: Readonly<Record<string, TSchema>>;
}

/** Why the stored rows do not admit an event. `waitsFor`: it may be stored once the event with this id is. */
export interface Refusal {
  readonly reason: string;
  readonly waitsFor?: string;
}

export interface Store<E extends Event, C extends Change<E>> {
  /** Writes the events of several batches and returns those that changed rows. Safe to repeat: a stored event is no
   * change. `events` are in the order of their arrival; no event id occurs twice. Calls `refuse` for an event that
   * contradicts the rows: it becomes a dead letter. */
  readonly write: (
    transaction: SqlTransaction,
    events: readonly BatchEvent<E>[],
    refuse: (event: E, refusal: Refusal) => void,
  ) => Promise<readonly C[]>;
  /** The batch that stored this event; undefined if none has. */
  readonly locate: (reader: SqlReader, eventId: string) => Promise<BatchId | undefined>;
  /** The stored events of at most `readMax` ids, in any order. Rows keep all content: `contentOf` an event read equals
   * that of the event written. */
  readonly read: (reader: SqlReader, eventIds: readonly string[]) => Promise<readonly E[]>;
  /** The most ids for one `read`, so that its result fits into memory. */
  readonly readMax: number;
  /** The table of the events that refused ones wait for, by its column `id`; absent: none waits. */
  readonly awaited?: string;
}

/** What the stored rows mean, as SQL: a rebuild fills the boards from it, the audit compares them with it. Each text is
 * a literal SELECT whose columns are read by position. */
export interface Recount {
  /** (event id as 16 bytes), once for each stored event. */
  readonly ids: readonly RowRanges[];
  /** (producer, sequence, rows): how many rows of each batch an earlier release has removed. With those that are in
   * tables, the ledger must have the same numbers. */
  readonly rowsOfBatches?: string;
  /** All boards, by kind: the sums of what `rank` adds. */
  readonly boards: readonly (RecountedBoards | RecountedMirror)[];
  /** (sentence) for every row that does not follow from the events. No rows if all is well. */
  readonly contradictions?: readonly RowRanges[];
}

interface RecountedBoards {
  /** (board, member, by, producer, sequence), added up by the process that reads them. A row without a board or a member
   * counts nowhere, one without a producer is of no batch. The rows of all kinds have each event of a batch once. */
  readonly rows: readonly RowRanges[];
}

/** One series of counts, and what an entry of a row adds to it. */
export interface Series {
  readonly name: string;
  readonly by: (entry: readonly number[]) => number;
}

/** One of a domain at most. */
export interface RecountedMirror {
  /** The boards of the series "". */
  readonly mirrored: MirroredBoards;
  /** The series that a row of a day adds to, "" first. `by` of a day is that of its measure. */
  readonly seriesOf: (day: number) => readonly Series[];
  /** (member, entries, producer, sequence, day). Entries are the text of [[key, …], …], added up by the process that
   * reads them: much cheaper than a sum in SQL over the items of a JSON column. Together they have the counts of each
   * event once. Leaving rows count until they are exported. */
  readonly rows: readonly RowRanges[];
  /** The same columns, by an index: the rows of batches of a producer, the first `?`, from a sequence to another one. */
  readonly rowsOfBatches: readonly string[];
}

/** How the rows of old months are removed from a domain's table while their counts stay: `tally retention`. */
export interface Retention<E extends Event = Event> {
  /** The table with one row for each event, with the columns id, producer and sequence. */
  readonly table: string;
  /** Its type is DATE; it partitions the table. An event that is sent again has the same date. */
  readonly dateColumn: string;
  /** As a number, yyyymmdd. */
  readonly dateOf: (event: E) => number;
  /** A table with the same columns, without partitions: the rows of the month that is being removed. */
  readonly leaving: string;
}
