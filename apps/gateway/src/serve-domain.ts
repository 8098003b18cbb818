import type { Domain, Sources } from "@tally/contract";
import type { Database } from "@tally/database";
import type { FastifyContextConfig, FastifyReply } from "fastify";
import type { DomainAccess } from "./admission/admission.ts";
import type { GatewayConfig } from "./config.ts";
import type { GatewayServers } from "./connect-servers.ts";
import { Finder } from "./find/finder.ts";
import { isUnavailable } from "./errors/reject.ts";
import type { TraceOf } from "./ingest/event-traces.ts";
import type { Commit, Intake } from "./ingest/intake.ts";
import { domainKeys, type DomainKeys } from "./keys/keys.ts";
import { GroupReads } from "./read/group-reads.ts";
import { KeptReads } from "./read/kept-reads.ts";

// Lookups of a domain that may wait for their rows, and readers of one kind of rows that may wait. Clients can invent
// ids, and each waits. Above the usual number of clients, low enough to bound memory.
const waitingMax = 5000;
// Names in rankings: about 200 bytes each. A live board is read every 0.8 s.
const keptReads = { keptMs: 5000, keysMax: 50_000, waitMs: 100 };

/** A domain with what its routes need. */
export interface Served {
  readonly domain: Domain;
  readonly commit: Commit;
  readonly keys: DomainKeys;
  readonly finder: Finder;
  readonly sources: Sources;
  /** Undefined: nothing can be configured. */
  readonly operator: Database | undefined;
  readonly config: Pick<GatewayConfig, "bodyBytesMax" | "bulkBytesMax" | "formPartBytesMax">;
  /** Whether the budget of responses has room for `bytes` more. */
  readonly hasRoom: (reply: FastifyReply, bytes: number) => boolean;
  readonly traceOf: TraceOf;
}

/** The access of a route of a domain, its document and its errors. */
export function routeConfig(
  domain: Domain,
  route: Domain["routes" | "queries" | "puts"][number],
  access: Omit<DomainAccess, "domain">,
): FastifyContextConfig {
  return { errorKey: domain.errorKey, access: { domain: domain.name, ...access }, documented: { domain, route } };
}

/** What the routes of a domain work with: its intake, its idempotency keys, and its sources for queries. */
export function serveDomain(
  { domain, commit }: Intake,
  { config, database, operator, rankings, keyMemory, metrics }: GatewayServers,
  { hasRoom, traceOf }: Pick<Served, "hasRoom" | "traceOf">,
): Served {
  const { name } = domain;
  const groupReads = (endpoint: "read" | "write"): GroupReads =>
    new GroupReads({
      reader: endpoint === "read" ? database.reader : database.writer,
      waitingMax,
      waitMs: config.queryWithinMs,
      onStatement: (keys) => metrics.readKeys.observe({ domain: name, endpoint }, keys),
    });
  const keys = domainKeys(domain, keyMemory, database.writer, (state) => metrics.keys.inc({ domain: name, state }));
  const read = groupReads("read");
  const write = groupReads("write");
  const kept = new KeptReads({ ...keptReads, read: read.read.bind(read) });
  const finder = new Finder({
    read,
    write,
    recentBytesMax: config.recentBytesMax,
    waitMs: config.foundWithinMs,
    waitersMax: waitingMax,
    onFind: (where) => metrics.found.inc({ domain: name, where }),
  });
  const sources: Sources = {
    rows: database.reader,
    read: read.read.bind(read),
    readNewest: (what, key) =>
      write.read(what, key).catch((error: unknown) => {
        if (isUnavailable(error)) return read.read(what, key);
        throw error;
      }),
    readKept: kept.read.bind(kept),
    boards: {
      top: (board, limit) => rankings.top(name, board, limit),
      count: (board, member) => rankings.count(name, board, member),
      whole: (boards) => rankings.whole(name, boards),
    },
    find: finder.find.bind(finder),
  };
  return { domain, commit, keys, finder, sources, operator, config, hasRoom, traceOf };
}
