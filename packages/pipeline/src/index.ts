export { batchDecoder, encodeBatch, UndecodableBatch, type Batch, type Event } from "./batch.ts";
export { BatchIds, textOfBatchId, type BatchId } from "./batch-id.ts";
export {
  bulkRoute,
  contentRoute,
  defineDomain,
  formRoute,
  ingestRoute,
  keyedRead,
  lookup,
  queryRoute,
  type BoardReader,
  type BoardTop,
  type BulkEntry,
  type BulkRoute,
  type Change,
  type ClientRequest,
  type Content,
  type ContentRoute,
  type Domain,
  type Form,
  type FormPart,
  type FormRoute,
  type IngestRoute,
  type KeyedRead,
  type Lookup,
  type QueryRoute,
  type ReadKey,
  type Recorded,
  type Recount,
  type RecountedBoards,
  type Sources,
  type Store,
  type PrintedRow,
  type Source,
  type SourceGroup,
  type SourceRun,
  type Told,
  type Spread,
  type Workload,
} from "./domain.ts";
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
export { firstProblem, type Problem, type Validator } from "./first-problem.ts";
export { IdempotencyKey } from "./idempotency-key.ts";
export { InvalidInput } from "./invalid-input.ts";
export { NotFound } from "./not-found.ts";
export { Moves } from "./moves.ts";
export { queuesOf, type DomainQueues, type QueueSpec } from "./queues.ts";
export {
  decodeRankingMessage,
  encodeRankingMessage,
  UndecodableRankingMessage,
  type RankingMessage,
} from "./ranking-message.ts";
export type { SqlParameter, SqlReader, SqlSnapshot, SqlTransaction, SqlValue } from "./sql.ts";
