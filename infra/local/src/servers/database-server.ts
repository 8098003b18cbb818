import { mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { runCommand } from "../process/run-command.ts";
import { ServiceError } from "../process/service-error.ts";
import type { ServerContext } from "./context.ts";
import {
  dataDirectory,
  type DatabaseEngine,
  type DatabasePrograms,
  type DatabaseRole,
  firstOptions,
  temporaryDirectory,
} from "./database-engines.ts";

/** Runs SQL as root; throws when the server rejects it. Returns the values, or with "vertical" one line `name: value` for each. */
export type Sql = (text: string, form?: "values" | "vertical") => Promise<string>;

/** What both servers are made of. */
export interface DatabaseParts {
  readonly engine: DatabaseEngine;
  readonly programs: DatabasePrograms;
  readonly context: ServerContext;
}

export interface DatabaseServer {
  readonly server: ChildServer;
  /** As its root. */
  readonly sql: Sql;
}

interface DatabasePlan {
  readonly role: DatabaseRole;
  readonly port: number;
  /** Different for each server. */
  readonly id: number;
  /** Of a replica: whether others can follow it when it is promoted. It then keeps a binary log, as durable as the primary's. */
  readonly isPromotable: boolean;
}

/** One database server, not started yet. Each start runs `onResponse` once the server responds, before it counts as ready. */
export async function databaseServer(
  { role, port, id, isPromotable }: DatabasePlan,
  { engine, programs, context }: DatabaseParts,
  onResponse: (sql: Sql) => Promise<unknown>,
): Promise<DatabaseServer> {
  const name = `database-${role}`;
  const sockets = join(context.socketDirectory, `${name}.run`);
  await mkdir(sockets, { recursive: true });
  const socket = join(sockets, "sock");
  const data = dataDirectory(role, context);
  const temporary = temporaryDirectory(role, context);
  const sql = await rootSql(name, socket, programs.client, context);
  const server = new ChildServer(
    {
      name,
      program: programs.server,
      args: [
        ...(await firstOptions(data, temporary)),
        `--socket=${socket}`,
        `--pid-file=${join(sockets, "pid")}`,
        `--port=${port}`,
        `--server-id=${id}`,
        ...commonOptions,
        ...(role === "primary" ? [...logOptions, ...engine.primaryOptions] : replicaOptions(engine, isPromotable)),
        `${engine.redoLogOption}=${context.redoLogMiB ?? 512}M`,
        ...(context.configuration?.database ?? []),
      ],
      port,
      ready: () =>
        sql("SELECT 1")
          .then(() => onResponse(sql))
          .then(
            () => true,
            () => false,
          ),
    },
    context,
  );
  return { server, sql };
}

/** Through the client program. Its options file is for people too: `mariadb --defaults-file=<directory>/database-primary.cnf` */
async function rootSql(name: string, socket: string, client: string, context: ServerContext): Promise<Sql> {
  const file = join(context.directory, `${name}.cnf`);
  const lines = ["[client]", "user=root", `password=${context.passwords.databaseRoot}`, `socket="${socket}"`, ""];
  await writeFile(file, lines.join("\n"), { mode: 0o600 });
  const { environment } = context;
  return async (text, form = "values") => {
    const args = [`--defaults-file=${file}`, "--batch", form === "values" ? "--skip-column-names" : "--vertical"];
    const result = await runCommand(client, args, { environment, input: text, timeoutMs: 30_000 });
    if (result.exitCode !== 0) throw new ServiceError("server-failed", `${name}: ${result.errors.trim()}`);
    return result.output.trim();
  };
}

const commonOptions = [
  "--bind-address=127.0.0.1",
  "--skip-name-resolve",
  "--max-connections=200",
  "--character-set-server=utf8mb4",
  "--transaction-isolation=READ-COMMITTED",
  "--sql-mode=STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY",
  "--performance-schema=OFF",
  `--innodb-buffer-pool-size=${bufferPoolMebibytes()}M`,
];

const logOptions = [
  "--log-bin=binlog",
  "--binlog-row-image=MINIMAL",
  // A transaction of a thousand purchases in a few large events: 5 % less CPU on primary and replica than in events of 8 kB.
  "--binlog-row-event-max-size=262144",
  "--sync-binlog=1",
  "--innodb-flush-log-at-trx-commit=1",
  // Two days for a replica that lags. A replica whose position is no longer in the log is rebuilt.
  "--binlog-expire-logs-seconds=172800",
];

function replicaOptions(engine: DatabaseEngine, isPromotable: boolean): readonly string[] {
  const log = isPromotable ? [...logOptions, ...engine.relayedLogOptions] : noLogOptions;
  return ["--relay-log=relay", ...log, ...engine.replicaOptions];
}

// With this a killed process loses nothing, and a power cut up to a second, which the replica then fetches again.
const noLogOptions = ["--skip-log-bin", "--innodb-flush-log-at-trx-commit=2"];

// A sixteenth of the memory for each of the two. When the indexes do not fit, every insert reads from disk (measured on a
// replica with 128 MB: from a million purchases on, its CPU per purchase rose by two thirds).
function bufferPoolMebibytes(): number {
  return Math.round(Math.min(Math.max(totalmem() / 16 / 2 ** 20, 128), 1024));
}
