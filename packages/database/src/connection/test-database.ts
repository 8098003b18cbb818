import { escapeId } from "mysql2";
import { DatabaseError } from "./database-error.ts";
import { withConnection } from "./with-connection.ts";

/** Creates the database in the URL anew. Throws DATABASE_NOT_FOR_TESTS unless its name ends in "_test". */
export async function recreateTestDatabase(url: string): Promise<void> {
  await runOutside(url, (name) => [drop(name), `CREATE DATABASE ${name} DEFAULT CHARSET utf8mb4`]);
}

/** Drops the database in the URL, if it exists. Throws DATABASE_NOT_FOR_TESTS unless its name ends in "_test". */
export async function dropTestDatabase(url: string): Promise<void> {
  await runOutside(url, (name) => [drop(name)]);
}

const drop = (name: string): string => `DROP DATABASE IF EXISTS ${name}`;

async function runOutside(url: string, statements: (name: string) => readonly string[]): Promise<void> {
  const server = new URL(url);
  const name = decodeURIComponent(server.pathname.slice(1));
  if (!name.endsWith("_test")) {
    throw new DatabaseError("DATABASE_NOT_FOR_TESTS", `the name "${name}" does not end in "_test"`);
  }
  server.pathname = "/";
  await withConnection(server.href, timeoutMs, async (run) => {
    for (const sql of statements(escapeId(name, true))) await run(sql);
  });
}

const timeoutMs = 30_000;
