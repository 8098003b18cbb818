import { isDuplicate } from "./driver-error.ts";
import { insertStatements } from "./insert-statements.ts";
import { changedRows, rowsOf } from "./query-result.ts";
import type { Session } from "./session.ts";
import type { SqlParameter, SqlTransaction, SqlValue } from "@tally/pipeline";

/** What a unit of work sees of the session that runs its transaction. */
export class Transaction implements SqlTransaction {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async query<Row extends object>(sql: string, values?: readonly SqlParameter[]): Promise<readonly Row[]> {
    return rowsOf<Row>(await this.#session.run(sql, values));
  }

  async execute(sql: string, values?: readonly SqlParameter[]): Promise<number> {
    return changedRows(await this.#session.run(sql, values));
  }

  async upsert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<number> {
    let changed = 0;
    for (const text of insertStatements(sql, rows)) changed += changedRows(await this.#session.runText(text, sql));
    return changed;
  }

  async insert(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<"inserted" | "duplicate"> {
    const statements = insertStatements(sql, rows);
    // InnoDB undoes a refused statement as a whole; several statements need a savepoint for that.
    const savepoint = statements.length > 1;
    if (savepoint) await this.#session.run("SAVEPOINT insert_rows");
    try {
      for (const text of statements) await this.#session.runText(text, sql);
    } catch (error) {
      if (savepoint) await this.#session.run("ROLLBACK TO SAVEPOINT insert_rows");
      if (isDuplicate(error)) return "duplicate";
      throw error;
    }
    return "inserted";
  }
}
