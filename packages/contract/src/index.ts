export { BatchIds, batchDecoder, encodeBatch, textOfBatchId, UndecodableBatch, withBatchId } from "./batch.ts";
export type { Batch, BatchId } from "./batch.ts";
export { gatewayChannels, rankerChannels, writerChannels } from "./channels.ts";
export { defineDomain, otherFiles } from "./domain.ts";
export type { BatchEvent, Change, Domain, FeedEvent, Store, WatchSources } from "./domain.ts";
export type { Refusal, Recount, RecountedMirror, Retention, Series } from "./domain.ts";
export { Bytes, decodeEvent, encodeEvent, packEvent, unpackEvent } from "./encoded-event.ts";
export type { EncodedEvent, Event } from "./encoded-event.ts";
export { bytesOfEventId, eventIdOfBytes, eventIdOfKey, eventIdOfKeyedEntry, eventTimeOf } from "./event-id.ts";
export { contentOf, fingerprintOf, isEventId, newEventId, type EventId } from "./event-id.ts";
export { exampleEvents } from "./examples.ts";
export { fieldsOfEvent } from "./files.ts";
export type { CellForm, EntryFields, EventFiles, EventRows, RowFilter } from "./files.ts";
export { firstProblem, InvalidInput, NotFound, type Validator } from "./first-problem.ts";
export { fieldIn, parsedJson } from "./json.ts";
export { endOfString, JsonByte, jsonByteAt, parseJsonBody } from "./json-body.ts";
export { joinBoards, Moves, splitBoards, sumOfCounts, type MirroredBoards } from "./moves.ts";
export { feedOf, queuesOf, type QueueSpec } from "./queues.ts";
export { decodeRankingMessage, encodeRankingMessage, readRankingMessage } from "./ranking-message.ts";
export { UndecodableRankingMessage } from "./ranking-message.ts";
export type { RankingMessage } from "./ranking-message.ts";
export { bulkRoute, contentRoute, formRoute, IdempotencyKey, ingestRoute, putRoute, queryRoute } from "./routes.ts";
export type { BulkRoute, Content, ContentRoute, Described, Form, FormPart, FormRoute } from "./routes.ts";
export type { IngestRoute, PutRoute, QueryRoute } from "./routes.ts";
export { eventIds, naturals, rangesOf, rangesOfIds, type RowRanges } from "./row-ranges.ts";
export { boardsOfSeries, dayOfSeries, defaultSeries, firstKeptDay, firstLiveDay, isKept, keptSince } from "./series.ts";
export {
  chainBoards,
  isKeptBoard,
  measureOfSeries,
  onlyAllTime,
  seriesOfBoard,
  settingsOf,
  sliceOf,
  slicesOf,
  textOfSeries,
  utcDayOf,
} from "./series.ts";
export type { KeptSeries, SeriesSettings } from "./series.ts";
export { keyedRead, lookup } from "./sources.ts";
export type { BoardReader, BoardTop, KeyedRead, Lookup, ReadKey, Sources, WholeBoards } from "./sources.ts";
export type { SqlParameter, SqlReader, SqlSnapshot, SqlTransaction, SqlValue } from "./sql.ts";
export { View } from "./view.ts";
