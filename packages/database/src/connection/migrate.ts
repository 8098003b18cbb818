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
 * and what stays applied. After an interrupted statement, the next run continues. `limits`: for tests. */
export async function migrate(
  { url, log, limits: own = {} }: { readonly url: string; readonly log: Log; readonly limits?: Partial<typeof usual> },
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const limits = { ...usual, ...own };
  // Before the lock: apps must be able to start during a removal, which may take hours.
  const pending = await withConnection(url, checkMs, (run) => pendingOf(sqlOf({ run }), migrations));
  if (pending.length === 0) return [];
  const appliedNow = await exclusively({ url, ...limits }, async (session) => {
    const names: string[] = [];
    for (const migration of await pendingOf(session, migrations)) {
      const { name, checksum } = migration;
      await apply(session, migration);
      await session.execute(replaceRow, [name, checksum]);
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
    const checksum = sha256(sql);
    const known = applied.get(name);
    if (known === undefined) return [{ ...migration, checksum, begun: applied.get(begunRow) }];
    if (known === checksum) return [];
    throw new DatabaseError("DATABASE_MIGRATION", `${name} was changed after it was applied; write a new file`);
  });
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const checkMs = 600_000;
// A long statement is awaited: the server would complete it without the client.
const usual = { waitSeconds: 300, timeoutMs: 7 * 86_400_000, tableLockWithinSeconds: 60 };

/** `begun`: the id of the statement that began last. An interrupted run may have completed it, and those before it. */
async function apply(session: ExclusiveSession, migration: Migration & { readonly begun: string | undefined }) {
  const { name, begun } = migration;
  const statements = splitStatements(migration.sql).map((sql) => ({ sql, id: sha256(`${name} ${sql}`) }));
  const first = statements.findIndex(({ id }) => id === begun);
  for (const [index, { sql, id }] of statements.entries()) {
    // A setting is lost with its connection. It is not noted, because it changes nothing that stays.
    const isSetting = /^SET SESSION /m.test(sql);
    if (index < first && !isSetting) continue;
    try {
      if (!isSetting) await session.execute(replaceRow, [begunRow, id]);
      await session.execute(sql);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (index === first && isApplied(sql, error.errno)) continue;
      const isOver = error.kind === "statement" || error.kind === "data";
      if (isOver) await session.execute(replaceRow, [begunRow, ""]);
      const place = `${name}, statement ${index + 1} of ${statements.length}`;
      const before = !isOver
        ? "the next run continues here"
        : index === 0
          ? "nothing in this file is applied"
          : `the ${index} before it stay applied: undo them by hand`;
      throw new DatabaseError("DATABASE_MIGRATION", `${place} failed (${before}): ${error.message}`, { cause: error });
    }
  }
}

// A table or a view, a column, or a key exists, or does not exist (DROP).
const appliedErrnos: ReadonlySet<number | undefined> = new Set([1050, 1060, 1061, 1051, 1091]);

/** Whether an error says that the statement was completed before. */
function isApplied(sql: string, errno: number | undefined): boolean {
  if (errno === 1062) return /^INSERT /m.test(sql);
  return appliedErrnos.has(errno) || (errno === 1146 && /^RENAME TABLE /m.test(sql));
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
const replaceRow = "REPLACE INTO migrations (name, checksum) VALUES (?, ?)";
/** The name of the row of the statement that began last. No migration has a name without "/". */
const begunRow = "begun";
