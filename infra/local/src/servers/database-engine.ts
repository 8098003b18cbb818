import { findProgram } from "../process/find-program.ts";
import { mariadb } from "./mariadb.ts";
import { mysql } from "./mysql.ts";
import { runCommand } from "../process/run-command.ts";
import type { Workshop } from "./context.ts";

export interface DatabasePrograms {
  readonly server: string;
  readonly client: string;
}

/** What MariaDB and MySQL do differently. The rest is in database.ts and database-server.ts. */
export interface DatabaseEngine {
  readonly name: "MariaDB" | "MySQL";
  /** Makes the system tables in an empty folder and gives root its password: at no time is there a root without. */
  initialise(dataDirectory: string, programs: DatabasePrograms, workshop: Workshop): Promise<void>;
  readonly primaryOptions: readonly string[];
  readonly replicaOptions: readonly string[];
  /** The privileges to see how far a replica is. */
  readonly lagPrivileges: string;
  /** Selects where the log of the primary stands. */
  readonly selectPosition: string;
  /** SQL for a replica that was copied from the primary when it stood there. */
  adoptPosition(position: string): string;
  /** Selects 0 when a replica has reached this position, something else after a second without. */
  waitFor(position: string): string;
  /** SQL that makes a replica follow the primary at this port. */
  follow(primaryPort: number, user: string, password: string): string;
}

/** The database server that is installed, MariaDB before MySQL; undefined when there is none. */
export function findDatabasePrograms(environment: NodeJS.ProcessEnv): DatabasePrograms | undefined {
  const server = findProgram(["mariadbd", "mysqld"], environment);
  const client = findProgram(["mariadb", "mysql"], environment);
  return server && client ? { server, client } : undefined;
}

/** Which of the two it is: `mysqld` can be either. */
export async function databaseEngine(programs: DatabasePrograms, workshop: Workshop): Promise<DatabaseEngine> {
  const { output } = await runCommand(programs.server, ["--no-defaults", "--version"], workshop);
  return output.includes("MariaDB") ? mariadb : mysql;
}
