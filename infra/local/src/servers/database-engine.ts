import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import type { CommandResult } from "../process/run-command.ts";
import { lastLines, ServiceError } from "../process/service-error.ts";
import type { ServerContext } from "./context.ts";

export interface DatabasePrograms {
  readonly server: string;
  readonly client: string;
}

/** What MariaDB and MySQL do differently. The rest is in database.ts and database-server.ts. */
export interface DatabaseEngine {
  readonly name: "MariaDB" | "MySQL";
  /** Creates the system tables in an empty folder and sets root's password: root never exists without one. */
  initialise(dataDirectory: string, programs: DatabasePrograms, context: ServerContext): Promise<void>;
  readonly primaryOptions: readonly string[];
  readonly replicaOptions: readonly string[];
  /** The privileges to read a replica's lag. */
  readonly lagPrivileges: string;
  /** Selects the position of the primary's log. */
  readonly selectPosition: string;
  /** SQL for a replica that was copied from the primary at this position. */
  adoptPosition(position: string): string;
  /** Waits up to 1 s. Selects 0 when the replica has reached this position, else another value. */
  waitFor(position: string): string;
  /** SQL that makes a replica follow the primary at this port. */
  follow(primaryPort: number, user: string, password: string): string;
}

export type DatabaseRole = "primary" | "replica";

/** The folder of a role's data. */
export const dataDirectory = (role: DatabaseRole, context: ServerContext): string =>
  join(context.directory, `database-${role}`);

/** Creates a folder for the temporary files of one server: a starting server deletes all files in it; in /tmp that would include files of others. */
export async function temporaryDirectory(role: DatabaseRole, context: ServerContext): Promise<string> {
  const directory = `${dataDirectory(role, context)}.tmp`;
  await mkdir(directory, { recursive: true });
  return directory;
}

/** The option that a database server needs to run as root; none for other users. */
export const asRoot = (): readonly string[] => (process.getuid?.() === 0 ? ["--user=root"] : []);

/** Throws when a step of the first start has failed. */
export function checkSetup(step: string, { exitCode, output, errors }: CommandResult): void {
  if (exitCode === 0) return;
  throw new ServiceError(
    "server-failed",
    `${step} failed. The end of its output:\n${lastLines(`${output}\n${errors}`)}`,
  );
}
