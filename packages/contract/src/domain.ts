import type { TSchema } from "typebox";
import type { Event } from "./batch.ts";
import type { EventFiles } from "./files.ts";
import type { BulkRoute, FormRoute, IngestRoute } from "./ingest-routes.ts";
import type { Moves } from "./moves.ts";
import type { ContentRoute, QueryRoute } from "./query-routes.ts";
import type { Recount, Retention } from "./recount.ts";
import type { Change, Store } from "./store.ts";
import type { View } from "./view.ts";

/** One kind of events with all of its business rules. The apps know domains only through this type. */
export interface Domain<E extends Event = Event, C extends Change<E> = Change<E>> {
  /** Lower case with dashes. Names its queues, its rankings, its rows in the ledger and its label in the metrics. */
  readonly name: string;
  /** One sentence for the API reference. */
  readonly description: string;
  /** The stored event. The gateway checks with it what a request became, the writer what a message holds. */
  readonly event: TSchema;
  /**
   * The version of `event`, in every message of the ingest queue: raise it with every change of the schema. The schema
   * must accept the events of earlier versions, which may still be queued or kept as dead letters. A writer of an
   * earlier release keeps a message of a later version whole, as a dead letter.
   */
  readonly eventVersion: number;
  /**
   * Fields with the time of arrival, in ms since 1970, which the gateway fills in. They are not content. A retry with a
   * key gets the time of its first arrival, because it may be stored before the first one.
   */
  readonly arrivalFields?: readonly (keyof E & string)[];
  readonly routes: readonly (IngestRoute<E> | FormRoute<E> | BulkRoute<E>)[];
  readonly store: Store<E, C>;
  /** Pure: what changed rows mean for the boards. Called once for each batch, with the changes of that batch only. */
  readonly rank: (changes: readonly C[], moves: Moves) => void;
  readonly recount: Recount;
  /** Absent: its rows are kept for ever. */
  readonly retention?: Retention<E>;
  readonly queries: readonly (QueryRoute | ContentRoute)[];
  /** What the live page shows of this domain. */
  readonly views: readonly View[];
  /** Absent: its events cannot be exported. */
  readonly files?: EventFiles<E>;
  /** The key of the sentence in this domain's error bodies. */
  readonly errorKey: "message" | "msg";
  /** The folder of its numbered SQL files. */
  readonly migrations: URL;
}

/** A domain as its author writes it. */
type DomainParts<E extends Event, C extends Change<E>> = Omit<Domain<E, C>, "errorKey" | "eventVersion"> & {
  /** Default 1. */
  readonly eventVersion?: number;
  /** Default "message". */
  readonly errorKey?: "msg";
};

/**
 * Lets the compiler check a domain's parts against each other. They are called through one list, so their types are
 * erased.
 */
export function defineDomain<E extends Event, C extends Change<E>>(parts: DomainParts<E, C>): Domain {
  // Each part is called only with values of the same domain, so its own types hold.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { errorKey: "message", eventVersion: 1, ...parts } as unknown as Domain;
}
