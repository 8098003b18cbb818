import { DatabaseError, type Database } from "@tally/database";
import {
  BatchIds,
  Moves,
  type Change,
  type Domain,
  type Event,
  type BatchEvent,
  type SqlTransaction,
  type SqlValue,
} from "@tally/pipeline";
import { encodeMoves, type Rankings } from "@tally/rankings";

interface Sources {
  readonly database: Database;
  readonly rankings: Rankings;
  readonly shards: number;
  /** False: a row, and no ranking of it. */
  readonly ranks: boolean;
}

/**
 * Takes the place of the gateway's intakes: an event is a row in autocommit and then a script in Redis, one round trip each, and then the
 * answer. No ledger: whoever dies between the two leaves a row that is in no ranking, and nothing tells.
 */
export function openIntakes(domains: readonly Domain[], sources: Sources) {
  return domains.map((domain) => {
    const ids = new BatchIds();
    return {
      domain,
      commit: {
        waiting: 0,
        add: (event: Event) => accept(domain, { event, batch: ids.next() }, sources),
      },
      close: () => Promise.resolve(),
    };
  });
}

async function accept(domain: Domain, recorded: BatchEvent, { database, rankings, shards, ranks }: Sources) {
  try {
    const changes = await store(domain, recorded, database);
    if (ranks && changes.length > 0) {
      const moves = new Moves();
      domain.rank(changes, moves);
      const { batch } = recorded;
      await rankings.apply(domain.name, { batch, storedAt: Date.now(), shards: encodeMoves(moves, shards) });
    }
    return "confirmed";
  } catch {
    return "unavailable"; // and its client hears 503
  }
}

/** One INSERT by itself where the domain needs no more for this event; else a transaction. */
async function store(domain: Domain, recorded: BatchEvent, database: Database): Promise<readonly Change[]> {
  const rehearsal = new Rehearsal();
  const changes = await domain.store.write(rehearsal, [recorded]);
  const { inserted, statements } = rehearsal;
  if (inserted === undefined || statements > 1)
    return database.transaction((transaction) => domain.store.write(transaction, [recorded]));
  try {
    await database.writer.query(inserted.sql, [inserted.rows]);
    return changes;
  } catch (error) {
    // Stored before, and counted then.
    if (error instanceof DatabaseError && error.errno === duplicateKey) return [];
    throw error;
  }
}

const duplicateKey = 1062;

type Rows = readonly (readonly SqlValue[])[];

/** Writes nothing: tells what a domain would write, if all of it were new. */
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
