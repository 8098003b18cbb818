import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import type { CommandResult } from "../process/run-command.ts";
import type { ServerUser } from "../process/server-user.ts";
import { lastLines, ServiceError } from "../process/service-error.ts";
import type { ServerContext } from "./context.ts";

export interface DatabasePrograms {
  readonly server: string;
  readonly client: string;
}

/** What MariaDB and MySQL do differently. The rest is in database.ts and database-server.ts. */
export interface DatabaseEngine {
  readonly name: "MariaDB" | "MySQL";
  /** Creates the system tables and sets root's password: root never exists without one. `options` name the folder and must come first. */
  initialise(options: readonly string[], programs: DatabasePrograms, context: ServerContext): Promise<void>;
  /** Sets the size of the redo log. */
  readonly redoLogOption: string;
  readonly primaryOptions: readonly string[];
  readonly replicaOptions: readonly string[];
  /** Makes a replica write what it gets from the primary to its own binary log, from which other replicas continue when it is promoted. */
  readonly relayedLogOptions: readonly string[];
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

/** `replica-1`, `replica-2`, … when there are several. */
export type DatabaseRole = "primary" | "replica" | `replica-${number}`;

/** The folder of a role's data. */
export const dataDirectory = (role: DatabaseRole, context: ServerContext): string =>
  join(context.directory, `database-${role}`);

/** The first options of each start of a database program, in their order. `user`: the process's, absent: the launcher's. */
export async function firstOptions(data: string, temporary: string, user?: ServerUser): Promise<readonly string[]> {
  await mkdir(temporary, { recursive: true });
  const asRoot = process.getuid?.() === 0 && user === undefined ? ["--user=root"] : [];
  return ["--no-defaults", ...asRoot, `--datadir=${data}`, `--tmpdir=${temporary}`];
}

/** For the temporary files of one server: a starting server deletes all files in it; in /tmp that would include files of others. */
export const temporaryDirectory = (role: DatabaseRole, context: ServerContext): string =>
  `${dataDirectory(role, context)}.tmp`;

/** Throws when a step of the first start has failed. */
export function checkSetup(step: string, { exitCode, output, errors }: CommandResult): void {
  if (exitCode === 0) return;
  throw new ServiceError(
    "server-failed",
    `${step} failed. The end of its output:\n${lastLines(`${output}\n${errors}`)}`,
  );
}
