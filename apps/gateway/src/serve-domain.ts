import type { Domain, Sources } from "@tally/contract";
import type { FastifyContextConfig } from "fastify";
import type { DomainAccess } from "./admission/admission.ts";
import type { GatewayServers } from "./connect-servers.ts";
import { createFinder } from "./find/finder.ts";
import { isUnavailable } from "./errors/reject.ts";
import type { TraceOf } from "./ingest/event-traces.ts";
import type { Intake } from "./ingest/intake.ts";
import { domainKeys } from "./keys/keys.ts";
import { groupReads } from "./read/group-reads.ts";
import { inTurns } from "./read/in-turns.ts";
import { keptReads } from "./read/kept-reads.ts";

// Lookups of a domain that may wait for their rows, and readers of one kind of rows that may wait. Clients can invent
// ids, and each waits. Above the usual number of clients, low enough to bound memory.
const waitingMax = 5000;
// Names in rankings: about 200 bytes each. A live board is read every 0.8 s.
const keptNames = { keptMs: 5000, keysMax: 50_000, waitMs: 100 };

/** A domain with what its routes need. */
export type Served = ReturnType<typeof serveDomain>;

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
  traceOf: TraceOf,
) {
  const { name } = domain;
  const readsOf = (endpoint: "read" | "write"): Sources["read"] =>
    groupReads({
      reader: endpoint === "read" ? database.reader : database.writer,
      waitingMax,
      waitMs: config.queryWithinMs,
      onStatement: (keys) => metrics.readKeys.observe({ domain: name, endpoint }, keys),
    });
  const keys = domainKeys(domain, keyMemory, database.writer, (state) => metrics.keys.inc({ domain: name, state }));
  const read = readsOf("read");
  const write = readsOf("write");
  const finder = createFinder({
    read,
    write,
    recentBytesMax: config.recentBytesMax,
    waitMs: config.foundWithinMs,
    waitersMax: waitingMax,
    onFind: (where) => metrics.found.inc({ domain: name, where }),
  });
  const sources: Sources = {
    rows: database.reader,
    currency: config.currency === "" ? undefined : config.currency,
    read,
    readNewest: (what, key) =>
      write(what, key).catch((error: unknown) => {
        if (isUnavailable(error)) return read(what, key);
        throw error;
      }),
    readKept: keptReads({ ...keptNames, read }),
    stream: inTurns(database, config.queryWithinMs),
    boards: {
      top: (board, limit) => rankings.top(name, board, limit),
      count: (board, member) => rankings.count(name, board, member),
      whole: (boards) => rankings.whole(name, boards),
    },
    find: (lookup, id, acceptedAtMs) => finder.find(lookup, id, acceptedAtMs),
  };
  return { domain, commit, keys, finder, sources, operator, config, traceOf };
}
