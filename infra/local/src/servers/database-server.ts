import { chmod, mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { asRoot } from "./as-root.ts";
import { ChildServer } from "../process/child-server.ts";
import type { DatabaseEngine, DatabasePrograms } from "./database-engine.ts";
import { runCommand } from "../process/run-command.ts";
import { serverUser } from "../process/server-user.ts";
import { ServiceError } from "../process/service-error.ts";
import type { Workshop } from "./context.ts";

export type DatabaseRole = "primary" | "replica";

/** Runs SQL as root; throws when the server refuses. Gives the values, or with "vertical" a line `name: value` for each. */
export type Sql = (text: string, form?: "values" | "vertical") => Promise<string>;

export interface DatabaseServer {
  readonly server: ChildServer;
  readonly sql: Sql;
}

/** Where the data of a role lies. */
export const dataDirectory = (role: DatabaseRole, workshop: Workshop): string =>
  join(workshop.directory, `database-${role}`);

/**
 * A folder for temporary files of a role's server alone: one that starts takes away what it finds, and in /tmp that would be another's.
 */
export async function temporaryDirectory(role: DatabaseRole, workshop: Workshop): Promise<string> {
  const directory = `${dataDirectory(role, workshop)}.tmp`;
  await mkdir(directory, { recursive: true });
  return directory;
}

/** One database server, not started yet. `onAnswer` runs at every start as soon as it answers, before it counts as ready. */
export async function databaseServer(
  role: DatabaseRole,
  port: number,
  { engine, programs, workshop }: { engine: DatabaseEngine; programs: DatabasePrograms; workshop: Workshop },
  onAnswer: (sql: Sql) => Promise<unknown>,
): Promise<DatabaseServer> {
  const name = `database-${role}`;
  const sockets = join(workshop.socketDirectory, `${name}.run`);
  await mkdir(sockets, { recursive: true });
  const socket = join(sockets, "sock");
  const user = serverUser(["mysql"], programs.server, workshop);
  if (user !== undefined && workshop.socketDirectory !== workshop.directory)
    await chmod(workshop.socketDirectory, 0o711);
  const temporary = await temporaryDirectory(role, workshop);
  const sql = await rootSql(name, socket, programs.client, workshop);
  const server = new ChildServer(
    {
      name,
      program: programs.server,
      args: [
        "--no-defaults",
        ...(user === undefined ? asRoot() : []),
        `--datadir=${dataDirectory(role, workshop)}`,
        `--tmpdir=${temporary}`,
        `--socket=${socket}`,
        `--pid-file=${join(sockets, "pid")}`,
        `--port=${port}`,
        ...COMMON,
        ...(role === "primary" ? PRIMARY : REPLICA),
        ...(role === "primary" ? engine.primaryOptions : engine.replicaOptions),
        ...(workshop.configuration?.database ?? []),
      ],
      port,
      user: user && { as: user, owns: [dataDirectory(role, workshop), temporary, sockets] },
      ready: () =>
        sql("SELECT 1")
          .then(() => onAnswer(sql))
          .then(
            () => true,
            () => false,
          ),
    },
    workshop,
  );
  return { server, sql };
}

/** Through the client program. The file of options serves people too: `mariadb --defaults-file=<directory>/database-primary.cnf` */
async function rootSql(name: string, socket: string, client: string, workshop: Workshop): Promise<Sql> {
  const file = join(workshop.directory, `${name}.cnf`);
  const lines = ["[client]", "user=root", `password=${workshop.passwords.databaseRoot}`, `socket="${socket}"`, ""];
  await writeFile(file, lines.join("\n"), { mode: 0o600 });
  const { environment } = workshop;
  return async (text, form = "values") => {
    const args = [`--defaults-file=${file}`, "--batch", form === "values" ? "--skip-column-names" : "--vertical"];
    const result = await runCommand(client, args, { environment, input: text, timeoutMs: 30_000 });
    if (result.exitCode !== 0) throw new ServiceError("server-failed", `${name}: ${result.errors.trim()}`);
    return result.output.trim();
  };
}

const COMMON = [
  "--bind-address=127.0.0.1",
  "--skip-name-resolve",
  "--max-connections=200",
  "--character-set-server=utf8mb4",
  "--transaction-isolation=READ-COMMITTED",
  "--sql-mode=STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY",
  "--performance-schema=OFF",
  `--innodb-buffer-pool-size=${bufferPoolMebibytes()}M`,
];

const PRIMARY = [
  "--server-id=1",
  "--log-bin=binlog",
  "--binlog-row-image=MINIMAL",
  // A transaction of a thousand purchases in a few large events: 5 % less CPU on primary and replica than in events of 8 kB.
  "--binlog-row-event-max-size=262144",
  "--sync-binlog=1",
  "--innodb-flush-log-at-trx-commit=1",
  // Long enough for a replica that lags; one that finds its place gone is built anew.
  "--binlog-expire-logs-seconds=172800",
];

// A killed process loses nothing with this, a power cut up to a second: the replica then fetches it again.
const REPLICA = ["--server-id=2", "--skip-log-bin", "--relay-log=relay", "--innodb-flush-log-at-trx-commit=2"];

// A sixteenth of the memory for each of the two. Indexes that no longer fit make every insert read from disk (measured on a
// replica with 128 MB: from a million purchases on its CPU per purchase rose by two thirds).
function bufferPoolMebibytes(): number {
  return Math.round(Math.min(Math.max(totalmem() / 16 / 2 ** 20, 128), 1024));
}
