import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Log } from "@tally/runtime";
import { sessionSql, rowsOf } from "./run-statement.ts";
import { DatabaseError } from "./database-error.ts";
import { type Run, withConnection } from "./with-connection.ts";

/** One numbered SQL file. Statements end with ";" at the end of a line. MySQL commits each DDL statement separately. */
interface Migration {
  /** "purchases/001-purchases": unique, never changed. */
  readonly name: string;
  readonly sql: string;
}

/** The files "001-words.sql" of a folder in their order, named "prefix/001-words". Throws DATABASE_MIGRATION. */
export async function readMigrations(folder: URL, prefix: string): Promise<readonly Migration[]> {
  const base = folder.href.endsWith("/") ? folder : new URL(`${folder.href}/`);
  const files = (await readdir(base)).filter((file) => file.endsWith(".sql")).toSorted();
  return Promise.all(
    files.map(async (file) => {
      if (!fileName.test(file)) {
        throw new DatabaseError("DATABASE_MIGRATION", `"${file}" needs a name like "001-what-it-does.sql"`);
      }
      return { name: `${prefix}/${file.slice(0, -".sql".length)}`, sql: await readFile(new URL(file, base), "utf8") };
    }),
  );
}

const fileName = /^\d{3}-[a-z0-9-]+\.sql$/;

interface MigrateOptions {
  /** Of the write endpoint. The database must exist. */
  readonly url: string;
  readonly log: Log;
  /** Longest time for one statement, and for the lock while another process migrates; default 10 minutes. */
  readonly timeoutMs?: number;
}

/**
 * Applies the migrations that the table `migrations` does not list yet, in the given order, and returns their names. A
 * lock makes concurrent processes apply each once. MySQL cannot roll DDL back: after a failed statement the error names
 * it and what stays applied. Throws DATABASE_MIGRATION, also when a file was changed after it was applied.
 */
export async function migrate(options: MigrateOptions, migrations: readonly Migration[]): Promise<readonly string[]> {
  const { url, log, timeoutMs = 600_000 } = options;
  return withConnection(url, timeoutMs, async (run) => {
    for (const sql of sessionSql(timeoutMs, "write")) await run(sql);
    // Held until the connection ends.
    await lock(run, timeoutMs);
    await run(createTable);
    const applied = new Map(rowsOf<AppliedRow>(await run(selectApplied)).map((row) => [row.name, row.checksum]));
    const appliedNow: string[] = [];
    for (const migration of migrations) {
      const { name, sql } = migration;
      const checksum = createHash("sha256").update(sql).digest("hex");
      const known = applied.get(name);
      if (known === checksum) continue;
      if (known !== undefined) {
        throw new DatabaseError("DATABASE_MIGRATION", `${name} was changed after it was applied; write a new file`);
      }
      await apply(run, migration);
      await run(insertApplied, [name, checksum]);
      log.info({ migration: name }, "migration applied");
      appliedNow.push(name);
    }
    return appliedNow;
  });
}

interface AppliedRow {
  readonly name: string;
  readonly checksum: string;
}

async function lock(run: Run, timeoutMs: number): Promise<void> {
  const seconds = Math.max(1, Math.floor(timeoutMs / 2000));
  const [row] = rowsOf<{ readonly locked: number | null }>(await run(getLock, [seconds]));
  if (row?.locked !== 1) {
    throw new DatabaseError("DATABASE_MIGRATION", `another process has held the lock for more than ${seconds} s`);
  }
}

async function apply(run: Run, migration: Migration): Promise<void> {
  const statements = splitStatements(migration.sql);
  for (const [index, sql] of statements.entries()) {
    try {
      await run(sql);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const place = `${migration.name}, statement ${index + 1} of ${statements.length}`;
      const before =
        index === 0 ? "nothing in this file is applied" : `the ${index} before it stay applied: undo them by hand`;
      throw new DatabaseError("DATABASE_MIGRATION", `${place} failed (${before}): ${error.message}`, { cause: error });
    }
  }
}

/** Without those that are only comments. DELIMITER is not supported. */
function splitStatements(sql: string): readonly string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of [...sql.split(/\r?\n/), ";"]) {
    const end = statementEnd.exec(line);
    lines.push(end?.[1] ?? line);
    if (end === null) continue;
    if (lines.some((text) => text.trim() !== "" && !text.trimStart().startsWith("--")))
      statements.push(lines.join("\n").trim());
    lines = [];
  }
  return statements;
}

// Code and quoted texts, then ";", then an optional comment. A ";" in a comment ends no statement.
const statementEnd = /^((?:[^'"-]|'[^']*'|"[^"]*"|-(?!-))*);\s*(?:--.*)?$/;

// The server's locks have one namespace for all databases, and names of at most 64 characters. MySQL 9.7 has no MD5().
const getLock = "SELECT GET_LOCK(CONCAT('tally-migrate-', LEFT(SHA2(DATABASE(), 256), 40)), ?) AS locked";
const createTable = `CREATE TABLE IF NOT EXISTS migrations (
  name VARCHAR(190) NOT NULL PRIMARY KEY,
  checksum CHAR(64) NOT NULL,
  applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB DEFAULT CHARSET = ascii COLLATE = ascii_bin`;
const selectApplied = "SELECT name, checksum FROM migrations";
const insertApplied = "INSERT INTO migrations (name, checksum) VALUES (?, ?)";
