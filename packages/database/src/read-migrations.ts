import { readdir, readFile } from "node:fs/promises";
import { DatabaseError } from "./database-error.ts";

/** One numbered file of SQL. MySQL commits each DDL statement by itself, so a file should hold one; several end in ";" at a line's end. */
export interface Migration {
  /** "purchases/001-purchases": unique, kept for ever. */
  readonly name: string;
  readonly sql: string;
}

/** The files "001-words.sql" of a folder in their order, named "prefix/001-words". Throws where a .sql file is named otherwise. */
export async function readMigrations(folder: URL, prefix: string): Promise<readonly Migration[]> {
  const base = folder.href.endsWith("/") ? folder : new URL(`${folder.href}/`);
  const files = (await readdir(base)).filter((file) => file.endsWith(".sql")).toSorted();
  return Promise.all(
    files.map(async (file) => {
      if (!fileName.test(file)) {
        throw new DatabaseError("DATABASE_MIGRATION", `"${file}" should be named like "001-what-it-does.sql"`);
      }
      return { name: `${prefix}/${file.slice(0, -".sql".length)}`, sql: await readFile(new URL(file, base), "utf8") };
    }),
  );
}

const fileName = /^\d{3}-[a-z0-9-]+\.sql$/;
