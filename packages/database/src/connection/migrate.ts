import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Log } from "@tally/runtime";
import { exclusively, sqlOf, withConnection, type ExclusiveSession } from "./run-statement.ts";
import { DatabaseError } from "./database-error.ts";

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
      if (!fileName.test(file))
        throw new DatabaseError("DATABASE_MIGRATION", `"${file}" needs a name like "001-what-it-does.sql"`);
      return { name: `${prefix}/${file.slice(0, -".sql".length)}`, sql: await readFile(new URL(file, base), "utf8") };
    }),
  );
}

const fileName = /^\d{3}-[a-z0-9-]+\.sql$/;

/** Applies the migrations that the table `migrations` does not list yet, in the given order, and returns their names. A
 * lock makes concurrent processes apply each once, and none during a removal of months. `url`: of the write endpoint;
 * the database must exist. MySQL cannot roll DDL back: after a failed statement the DATABASE_MIGRATION error names it
 * and what stays applied. */
export async function migrate(
  { url, log }: { readonly url: string; readonly log: Log },
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // Before the lock: apps must be able to start during a removal, which may take hours.
  const pending = await withConnection(url, limits.timeoutMs, (run) => pendingOf(sqlOf({ run }), migrations));
  if (pending.length === 0) return [];
  const appliedNow = await exclusively({ url, ...limits }, async (session) => {
    const names: string[] = [];
    for (const migration of await pendingOf(session, migrations)) {
      const { name, checksum } = migration;
      await apply(session, migration);
      await session.execute(insertApplied, [name, checksum]);
      log.info({ migration: name }, "migration applied");
      names.push(name);
    }
    return names;
  });
  if (appliedNow !== undefined) return appliedNow;
  throw new DatabaseError(
    "DATABASE_MIGRATION",
    `another migration or tally retention has run for more than ${limits.waitSeconds} s; repeat it after that`,
  );
}

async function pendingOf(session: ExclusiveSession, migrations: readonly Migration[]) {
  await session.execute(createTable);
  const rows = await session.query<{ name: string; checksum: string }>(selectApplied);
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  return migrations.flatMap((migration) => {
    const { name, sql } = migration;
    const checksum = createHash("sha256").update(sql).digest("hex");
    const known = applied.get(name);
    if (known === undefined) return [{ ...migration, checksum }];
    if (known === checksum) return [];
    throw new DatabaseError("DATABASE_MIGRATION", `${name} was changed after it was applied; write a new file`);
  });
}

// A statement that waits for a table ends with the timeout.
const limits = { waitSeconds: 300, timeoutMs: 600_000, tableLockWithinSeconds: 86_400 } as const;

async function apply(session: ExclusiveSession, migration: Migration): Promise<void> {
  const statements = splitStatements(migration.sql);
  for (const [index, sql] of statements.entries()) {
    try {
      await session.execute(sql);
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

const createTable = `CREATE TABLE IF NOT EXISTS migrations (
  name VARCHAR(190) NOT NULL PRIMARY KEY,
  checksum CHAR(64) NOT NULL,
  applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE = InnoDB DEFAULT CHARSET = ascii COLLATE = ascii_bin`;
const selectApplied = "SELECT name, checksum FROM migrations";
const insertApplied = "INSERT INTO migrations (name, checksum) VALUES (?, ?)";
