import { connectDatabase, DatabaseError, type Database } from "@tally/database";
import type { Commit, openIntake } from "@tally/gateway";
import { BatchIds, decodeEvent, defaultSeries, keptSince, Moves, packEvent, textOfSeries } from "@tally/contract";
import type { BatchEvent, Change, Domain, EncodedEvent, Event, Refusal } from "@tally/contract";
import type { SqlTransaction, SqlValue } from "@tally/contract";
import { encodeMoves } from "@tally/redis";
import { silentLog } from "@tally/runtime";

/** An event is one row in autocommit, then one script in Redis, then the response; one round trip each. There is no
 * ledger: a gateway that dies between the two leaves a row that is in no ranking. */
export const synchronousIntake: typeof openIntake = (domain, { config, rankings }) => {
  const database = connectDatabase({
    writeUrl: config.databaseWriteUrl,
    readUrl: config.databaseReadUrl,
    writeConnections,
    readConnections: 1,
    queryTimeoutMs: config.queryWithinMs,
    log: silentLog,
  });
  const ids = new BatchIds();
  async function outcomeOf(accepted: EncodedEvent) {
    try {
      // Events that the gateway encoded.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const event = decodeEvent(packEvent(accepted)) as Event;
      const recorded = { event, batch: ids.next() };
      const changes = await store(domain, recorded, database);
      if (changes.length > 0) {
        const moves = new Moves();
        domain.rank(changes, moves, keptSince(defaultSeries, Date.now()));
        const { batch } = recorded;
        const encoded = encodeMoves(moves, config.rankingShards);
        // 0 means unknown. With a time the ranker would look for this batch in the ledger, not find it, and rebuild
        // the rankings.
        const series = textOfSeries(defaultSeries);
        await rankings.rank(domain.name, { batch, storedAt: 0, series, ...encoded });
      }
      return "confirmed";
    } catch {
      return "unavailable"; // the client gets 503
    }
  }
  const add: Commit["add"] = (accepted, settle) => void outcomeOf(accepted).then(settle);
  return { domain, commit: { waiting: 0, add }, close: () => database.close() };
};

// Commits in flight at once share an fsync: 16, 32 and 64 stored equally fast within the noise of a shared machine,
// 128 slower.
const writeConnections = 32;

/** One INSERT where that is all the domain needs for this event; otherwise a transaction. */
async function store(domain: Domain, recorded: BatchEvent, database: Database): Promise<readonly Change[]> {
  const rehearsal = new Rehearsal();
  const changes = await domain.store.write(rehearsal, [recorded], () => undefined);
  const { inserted, statements } = rehearsal;
  if (inserted === undefined || statements > 1)
    return database.transaction((transaction) => domain.store.write(transaction, [recorded], refuse));
  try {
    await database.writer.query(inserted.sql, [inserted.rows]);
    return changes;
  } catch (error) {
    // Stored and counted before.
    if (error instanceof DatabaseError && error.errno === duplicateKey) return [];
    throw error;
  }
}

const duplicateKey = 1062;

// This design keeps no dead letters.
function refuse(_event: Event, { reason }: Refusal): never {
  throw new Error(reason);
}

type Rows = readonly (readonly SqlValue[])[];

/** Writes nothing: notes what a domain would write if all of it were new. */
class Rehearsal implements SqlTransaction {
  statements = 0;
  inserted: { readonly sql: string; readonly rows: Rows } | undefined;

  async insert(sql: string, rows: Rows): Promise<"inserted"> {
    this.statements++;
    this.inserted = { sql, rows };
    return "inserted";
  }

  async upsert(_sql: string, rows: Rows): Promise<number> {
    this.statements++;
    return rows.length;
  }

  async execute(): Promise<number> {
    this.statements++;
    return 0;
  }

  async query<Row extends object>(): Promise<readonly Row[]> {
    this.statements++;
    return [];
  }
}
