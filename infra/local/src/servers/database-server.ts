import { mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { runCommand, ServiceError, lastLines, findProgram } from "../process/run-command.ts";
import type { ServerContext } from "./context.ts";

/** Runs SQL as root; throws when the server rejects it. Returns the values, or with "vertical" one line `name: value`
 * for each. */
export type Sql = (text: string, form?: "values" | "vertical") => Promise<string>;

export interface DatabaseParts {
  readonly engine: DatabaseEngine;
  readonly programs: DatabasePrograms;
  readonly context: ServerContext;
}

interface DatabasePlan {
  readonly role: DatabaseRole;
  readonly port: number;
  readonly id: number;
  /** For a replica: whether others can follow it when it is promoted. It then keeps a binary log, as durable as the
   * primary's. */
  readonly isPromotable: boolean;
}

/** One database server, not started yet. Each start runs `onResponse` once the server responds, before it counts as
 * ready. */
export async function databaseServer(
  { role, port, id, isPromotable }: DatabasePlan,
  { engine, programs, context }: DatabaseParts,
  onResponse: (sql: Sql) => Promise<unknown>,
) {
  const name = `database-${role}`;
  const sockets = join(context.socketDirectory, `${name}.run`);
  await mkdir(sockets, { recursive: true });
  const socket = join(sockets, "sock");
  const sql = await rootSql(name, socket, programs.client, context);
  const server = new ChildServer(
    {
      name,
      program: programs.server,
      args: [
        ...(await firstOptions(role, context)),
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

/** Through the client program. Its options file is for people too: `mariadb
 * --defaults-file=<directory>/database-primary.cnf` */
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
  // A transaction of a thousand purchases in a few large events: 5 % less CPU on primary and replica than in events of
  // 8 kB.
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

// A sixteenth of the memory for each of the two. When the indexes do not fit, every insert reads from disk (measured on
// a replica with 128 MB: from a million purchases on, its CPU per purchase rose by two thirds).
function bufferPoolMebibytes(): number {
  return Math.round(Math.min(Math.max(totalmem() / 16 / 2 ** 20, 128), 1024));
}

export type DatabasePrograms = Readonly<Record<"server" | "client", string>>;

/** `replica-1`, `replica-2`, … when there are several. */
export type DatabaseRole = "primary" | "replica" | `replica-${number}`;

export const dataDirectory = (role: DatabaseRole, context: ServerContext): string =>
  join(context.directory, `database-${role}`);

/** The first options of each start of a database program, in their order. */
export async function firstOptions(
  role: DatabaseRole,
  context: ServerContext,
  data = dataDirectory(role, context),
): Promise<readonly string[]> {
  // A starting server deletes all files in it; in /tmp that would include files of others.
  const temporary = `${dataDirectory(role, context)}.tmp`;
  await mkdir(temporary, { recursive: true });
  // Without the option MariaDB refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? ["--user=root"] : [];
  return ["--no-defaults", ...asRoot, `--datadir=${data}`, `--tmpdir=${temporary}`];
}

/** Runs a step of the first start. Throws with the end of its output. */
async function setUp(step: string, ...command: Parameters<typeof runCommand>): Promise<void> {
  const { exitCode, output, errors } = await runCommand(...command);
  if (exitCode === 0) return;
  const all = `${output}\n${errors}`;
  const advice = /Errcode: 13|Permission denied/.test(all) ? confined : "";
  throw new ServiceError("server-failed", `${step} failed. The end of its output:\n${lastLines(all)}${advice}`);
}

const confined = `
AppArmor may confine the database to /var/lib/mysql. Use Docker, or add the line
    /**/.tally/{,**} rwkl,
to /etc/apparmor.d/local/mariadbd (MySQL: usr.sbin.mysqld) and run
    sudo systemctl reload apparmor`;

/** What MariaDB and MySQL do differently. The rest is in database.ts and database-server.ts. */
export type DatabaseEngine = typeof mariadb;

export const mariadb = {
  name: "MariaDB",

  /** Creates the system tables and sets root's password: root never exists without one. `given` name the folder and
   * must come first. */
  async initialise(given: readonly string[], programs: DatabasePrograms, context: ServerContext): Promise<void> {
    const install =
      findProgram(["mariadb-install-db", "mysql_install_db"], context.environment) ?? "mariadb-install-db";
    // A small log: the folder is copied for the replica, and the first start enlarges it.
    const options = [...given, "--innodb-log-file-size=8M"];
    const tables = [...options, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"];
    await setUp("mariadb-install-db", install, tables, context);

    await setUp("mariadbd --bootstrap", programs.server, [...options, "--bootstrap", "--silent-startup"], {
      ...context,
      input: [
        "USE mysql;",
        "DELETE FROM global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');",
        "FLUSH PRIVILEGES;",
        `ALTER USER root@localhost IDENTIFIED BY '${context.passwords.databaseRoot}';`,
        "",
      ].join("\n"),
    });
  },

  redoLogOption: "--innodb-log-file-size",
  primaryOptions: ["--gtid-strict-mode=ON", "--binlog-format=ROW"],
  replicaOptions: ["--gtid-strict-mode=ON", "--read-only=ON", "--skip-slave-start"],
  /** Makes a replica write what it gets from the primary to its own binary log, from which other replicas continue when
   * it is promoted. */
  relayedLogOptions: ["--log-slave-updates=ON", "--binlog-format=ROW"],
  lagPrivileges: "BINLOG MONITOR, SLAVE MONITOR",
  selectPosition: "SELECT @@GLOBAL.gtid_binlog_pos",
  /** SQL for a replica that was copied from the primary at this position; empty: before the primary's first commit. */
  adoptPosition: (position: string) => `SET GLOBAL gtid_slave_pos = '${position}'`,
  /** Waits up to 1 s. Selects 0 when the replica has reached this position, else another value. */
  waitFor: (position: string) => `SELECT MASTER_GTID_WAIT('${position}', 1)`,
  /** SQL that makes a replica follow the primary at this port. */
  follow: (port: number, user: string, password: string) =>
    `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${port}, MASTER_USER = '${user}', ` +
    `MASTER_PASSWORD = '${password}', MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos`,
};

const gtid = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--mysqlx=OFF"];

/** Oracle's MySQL from 8.0.30. */
export const mysql: DatabaseEngine = {
  name: "MySQL",

  async initialise(options, programs, context) {
    const sqlFile = join(context.directory, "mysql-setup.sql");
    await writeFile(sqlFile, `ALTER USER root@localhost IDENTIFIED BY '${context.passwords.databaseRoot}';\n`, {
      mode: 0o600,
    });
    const first = [...options, "--initialize-insecure", `--init-file=${sqlFile}`];
    await setUp("mysqld --initialize", programs.server, first, context);
  },

  redoLogOption: "--innodb-redo-log-capacity",
  primaryOptions: gtid,
  replicaOptions: [...gtid, "--super-read-only=ON", "--relay-log-recovery=ON", "--skip-replica-start"],
  relayedLogOptions: [], // its default
  lagPrivileges: "REPLICATION CLIENT",
  selectPosition: "SELECT @@GLOBAL.gtid_executed",
  // The copy has part of the position already, and gtid_purged accepts only the rest.
  adoptPosition: (position) =>
    position === ""
      ? "DO 0"
      : `SET GLOBAL gtid_purged = CONCAT('+', GTID_SUBTRACT('${position}', @@GLOBAL.gtid_executed))`,
  waitFor: (position) => `SELECT WAIT_FOR_EXECUTED_GTID_SET('${position}', 1)`,
  follow: (port, user, password) =>
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${port}, SOURCE_USER = '${user}', ` +
    `SOURCE_PASSWORD = '${password}', SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400, SOURCE_AUTO_POSITION = 1, ` +
    `GET_SOURCE_PUBLIC_KEY = 1`,
};
