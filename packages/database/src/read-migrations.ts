import { readdir, readFile } from "node:fs/promises";
import { DatabaseError } from "./database-error.ts";

/** One numbered SQL file. MySQL commits each DDL statement separately, so a file should have one. Statements end with ";" at the end of a line. */
export interface Migration {
  /** "purchases/001-purchases": unique, never changed. */
  readonly name: string;
  readonly sql: string;
}

/** The files "001-words.sql" of a folder in their order, named "prefix/001-words". Throws DATABASE_MIGRATION for other names of .sql files. */
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
