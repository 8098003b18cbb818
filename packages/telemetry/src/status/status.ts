import { HopName, ThreadState } from "../heartbeats/heartbeat.ts";
import { Type, type Static, type TSchema } from "typebox";

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Time = Type.String(); // ISO 8601

export const ServerStatus = Type.Object({
  name: Type.Enum(["broker", "databaseWrite", "databaseRead", "redis"]),
  /** host:port of a master of a Redis Cluster, which has one entry for each; absent for others. */
  node: Type.Optional(Type.String()),
  /** blocked: the broker accepts no messages, because of a memory or disk alarm. */
  state: Type.Enum(["up", "blocked", "down"]),
  /** The time of one round trip, in ms; null without a response. */
  latencyMs: orNull(Type.Number()),
});
export type ServerStatus = Static<typeof ServerStatus>;

export const Flow = Type.Object({
  /** Since the start of the running processes. */
  events: Type.Number(),
  /** Mean of the last 10 s, of all processes. */
  perSecond: Type.Number(),
});
export type Flow = Static<typeof Flow>;

export const QueueStatus = Type.Object({
  /** In the queue, without those that its consumers hold; null while the broker does not respond. */
  batches: orNull(Type.Number()),
  /** Delivered to running processes and not settled; up to a second old. null while Redis does not respond. */
  held: orNull(Type.Number()),
  /** In both, estimated from the mean size of a batch; null while the broker does not respond. */
  events: orNull(Type.Number()),
});
export type QueueStatus = Static<typeof QueueStatus>;

export const DomainStatus = Type.Object({
  name: Type.String(),
  accepted: Flow,
  stored: Flow,
  /** Estimated from batches and their mean size: a ranking message does not have the number of its events. */
  ranked: Flow,
  queues: Type.Object({ ingest: QueueStatus, rank: QueueStatus }),
  /** Time until each waiting event is ranked, at the present rates. 0: none waits. null: unknown, or no progress. */
  secondsToDrain: orNull(Type.Number()),
  /** When the newest batch was stored; null: none yet, or the database is down. */
  lastStoredAt: orNull(Time),
});
export type DomainStatus = Static<typeof DomainStatus>;

/** How long batches took from one step to the next, in the last 10 s, over all domains and processes. */
export const HopStatus = Type.Object({
  name: HopName,
  batches: Type.Number(),
  p50Ms: Type.Number(),
  p99Ms: Type.Number(),
});
export type HopStatus = Static<typeof HopStatus>;

export const ProcessStatus = Type.Object({
  app: Type.Enum(["gateway", "writer", "ranker"]),
  host: Type.String(),
  pid: Type.Integer(),
  /** gone: no heartbeat for 3 s, and it did not stop in order. */
  state: Type.Enum(["up", "gone"]),
  startedAt: Time,
  heartbeatAt: Time,
  /** Its clock minus the database's, in ms, measured every 10 s; null: not measured. */
  clockOffsetMs: orNull(Type.Number()),
  threads: Type.Array(ThreadState),
});
export type ProcessStatus = Static<typeof ProcessStatus>;

/** Equal lines of a thread's log, of level warn or above. `at`: of the newest. `thread` null: the main thread. */
export const LoggedError = Type.Object({
  at: Time,
  app: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  thread: orNull(Type.Integer()),
  level: Type.Enum(["warn", "error", "fatal"]),
  message: Type.String(),
  /** How many equal lines are among the newest ten of the process. */
  times: Type.Integer({ minimum: 1 }),
});
export type LoggedError = Static<typeof LoggedError>;

/** The dead letters of all domains, by state. 10,000: that many or more. */
const DeadLetterCounts = Type.Object({
  open: Type.Integer(),
  parked: Type.Integer(),
  replayed: Type.Integer(),
  discarded: Type.Integer(),
});

/** A running system at one moment. While a server is down, its values are null or empty; the rest is still reported. */
export const Status = Type.Object({
  at: Time,
  /** failing: a server is down or nothing progresses. behind: over 10 s to drain, a process gone, a wrong clock. */
  state: Type.Enum(["ok", "behind", "failing"]),
  problems: Type.Array(Type.String()),
  servers: Type.Array(ServerStatus),
  domains: Type.Array(DomainStatus),
  /** The largest of the domains; null: one of them is null. */
  secondsToDrain: orNull(Type.Number()),
  /** The age of the oldest batch that the read endpoint does not have yet; 0: it has all; null: an endpoint is down. */
  replicaLagMs: orNull(Type.Number()),
  hops: Type.Array(HopStatus),
  processes: Type.Array(ProcessStatus),
  /** null: the database is down. */
  deadLetters: orNull(DeadLetterCounts),
  /** From all processes, newest first, at most 20. */
  lastErrors: Type.Array(LoggedError),
});
export type Status = Static<typeof Status>;
