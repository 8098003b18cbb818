export { batchDecoder, encodeBatch, UndecodableBatch, type Batch, type Event } from "./batch.ts";
export { BatchIds, textOfBatchId, type BatchId } from "./batch-id.ts";
export { defineDomain, type Domain } from "./domain.ts";
export { Bytes, decodeEvent, encodeEvent, packEvent, unpackEvent, type EncodedEvent } from "./encoded-event.ts";
export {
  bytesOfEventId,
  eventIdOfBytes,
  eventIdOfKey,
  eventIdOfKeyedEntry,
  eventTimeOf,
  isEventId,
  newEventId,
  type EventId,
} from "./event-id.ts";
export { contentOf, fingerprintOf } from "./event-content.ts";
export {
  fieldsOfEvent,
  type CellForm,
  type EntryFields,
  type EventFiles,
  type EventRows,
  type RowFilter,
} from "./files.ts";
export { firstProblem, type Problem, type Validator } from "./first-problem.ts";
export { InvalidInput, NotFound } from "./invalid-input.ts";
export {
  bulkRoute,
  formRoute,
  IdempotencyKey,
  ingestRoute,
  type BulkRoute,
  type Described,
  type Form,
  type FormPart,
  type FormRoute,
  type IngestRoute,
} from "./ingest-routes.ts";
export { Moves, type MirroredBoards } from "./moves.ts";
export { gatewayChannels, rankerChannels, writerChannels } from "./channels.ts";
export { contentRoute, queryRoute, type Content, type ContentRoute, type QueryRoute } from "./query-routes.ts";
export { queuesOf, type DomainQueues, type QueueSpec } from "./queues.ts";
export {
  decodeRankingMessage,
  encodeRankingMessage,
  UndecodableRankingMessage,
  type RankingMessage,
} from "./ranking-message.ts";
export type { Recount, RecountedBoards, RecountedMirror, Retention } from "./recount.ts";
export {
  keyedRead,
  lookup,
  type BoardReader,
  type BoardTop,
  type KeyedRead,
  type Lookup,
  type ReadKey,
  type Sources,
} from "./sources.ts";
export type { SqlParameter, SqlReader, SqlSnapshot, SqlTransaction, SqlValue } from "./sql.ts";
export type { BatchEvent, Change, Store } from "./store.ts";
export { View, ViewParameter } from "./view.ts";
