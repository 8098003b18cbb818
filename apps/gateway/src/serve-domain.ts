import type { Domain, Sources } from "@tally/contract";
import type { FastifyReply } from "fastify";
import type { GatewayConfig } from "./config.ts";
import { Finder } from "./find/finder.ts";
import type { TraceOf } from "./ingest/event-traces.ts";
import type { Commit, Intake, IntakeServers } from "./ingest/intake.ts";
import { DomainKeys, type KeyMemory } from "./keys/keys.ts";
import { GroupReads } from "./read/group-reads.ts";

// Lookups of one domain that may wait for their rows. Clients can invent ids, and each invented id waits.
const findersWaitingMax = 5000;
// Readers of one kind of rows that may wait: above the usual number of clients, low enough to bound memory.
const readersWaitingMax = 5000;

/** A domain with what its routes need. */
export interface Served {
  readonly domain: Domain;
  readonly commit: Commit;
  readonly keys: DomainKeys;
  readonly finder: Finder;
  readonly sources: Sources;
  readonly config: Pick<GatewayConfig, "bodyBytesMax" | "bulkBytesMax" | "formPartBytesMax">;
  /** Whether the budget of responses has room for `bytes` more. */
  readonly hasRoom: (reply: FastifyReply, bytes: number) => boolean;
  readonly traceOf: TraceOf;
}

export interface DomainServers extends IntakeServers {
  readonly keyMemory: KeyMemory;
  readonly hasRoom: Served["hasRoom"];
  readonly traceOf: TraceOf;
}

/** What the routes of a domain work with: its intake, its idempotency keys, and its sources for queries. */
export function serveDomain(
  { domain, commit }: Intake,
  { config, database, rankings, keyMemory, metrics, hasRoom, traceOf }: DomainServers,
): Served {
  const { name } = domain;
  const groupReads = (endpoint: "read" | "write"): GroupReads =>
    new GroupReads({
      reader: endpoint === "read" ? database.reader : database.writer,
      waitingMax: readersWaitingMax,
      waitMs: config.queryWithinMs,
      onStatement: (keys) => metrics.readKeys.observe({ domain: name, endpoint }, keys),
    });
  const keys = new DomainKeys(domain, keyMemory, database.writer, (state) => metrics.keys.inc({ domain: name, state }));
  const read = groupReads("read");
  const finder = new Finder({
    read,
    write: groupReads("write"),
    writer: database.writer,
    recentBytesMax: config.recentBytesMax,
    waitMs: config.foundWithinMs,
    waitersMax: findersWaitingMax,
    onFind: (where) => metrics.found.inc({ domain: name, where }),
  });
  const sources: Sources = {
    rows: database.reader,
    read: (what, key) => read.read(what, key),
    boards: {
      top: (board, limit) => rankings.top(name, board, limit),
      count: (board, member) => rankings.count(name, board, member),
    },
    find: (lookup, id, acceptedAtMs) => finder.find(lookup, id, acceptedAtMs),
  };
  return { domain, commit, keys, finder, sources, config, hasRoom, traceOf };
}
