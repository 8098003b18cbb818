import { join } from "node:path";
import { mkdir, writeFile } from "node:fs/promises";
import { type CommandResult, runCommand } from "../process/run-command.ts";
import { lastLines, ServiceError } from "../process/service-error.ts";
import type { ServerContext } from "./context.ts";
import { findProgram } from "../process/find-program.ts";

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

/** The first options of each start of a database program, in their order. */
export async function firstOptions(data: string, temporary: string): Promise<readonly string[]> {
  await mkdir(temporary, { recursive: true });
  // Without the option MariaDB refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? ["--user=root"] : [];
  return ["--no-defaults", ...asRoot, `--datadir=${data}`, `--tmpdir=${temporary}`];
}

/** For the temporary files of one server: a starting server deletes all files in it; in /tmp that would include files of others. */
export const temporaryDirectory = (role: DatabaseRole, context: ServerContext): string =>
  `${dataDirectory(role, context)}.tmp`;

/** Throws when a step of the first start has failed. */
function checkSetup(step: string, { exitCode, output, errors }: CommandResult): void {
  if (exitCode === 0) return;
  throw new ServiceError(
    "server-failed",
    `${step} failed. The end of its output:\n${lastLines(`${output}\n${errors}`)}`,
  );
}

/** MariaDB from 10.5. */
export const mariadb: DatabaseEngine = {
  name: "MariaDB",

  async initialise(given, programs, context) {
    const install =
      findProgram(["mariadb-install-db", "mysql_install_db"], context.environment) ?? "mariadb-install-db";
    // A small log: the folder is copied for the replica, and the first start enlarges it.
    const options = [...given, "--innodb-log-file-size=8M"];
    const tables = await runCommand(
      install,
      [...options, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"],
      context,
    );
    checkSetup("mariadb-install-db", tables);

    const accounts = await runCommand(programs.server, [...options, "--bootstrap", "--silent-startup"], {
      ...context,
      input: [
        "USE mysql;",
        "DELETE FROM global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');",
        "FLUSH PRIVILEGES;",
        `ALTER USER root@localhost IDENTIFIED BY '${context.passwords.databaseRoot}';`,
        "",
      ].join("\n"),
    });
    checkSetup("mariadbd --bootstrap", accounts);
  },

  redoLogOption: "--innodb-log-file-size",
  primaryOptions: ["--gtid-strict-mode=ON", "--binlog-format=ROW"],
  replicaOptions: ["--gtid-strict-mode=ON", "--read-only=ON", "--skip-slave-start"],
  relayedLogOptions: ["--log-slave-updates=ON", "--binlog-format=ROW"],
  lagPrivileges: "BINLOG MONITOR, SLAVE MONITOR",
  selectPosition: "SELECT @@GLOBAL.gtid_binlog_pos",
  adoptPosition: (position) => `SET GLOBAL gtid_slave_pos = '${position}'`,
  waitFor: (position) => `SELECT MASTER_GTID_WAIT('${position}', 1)`,
  follow: (port, user, password) =>
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
    const tables = await runCommand(programs.server, first, context);
    checkSetup("mysqld --initialize", tables);
  },

  redoLogOption: "--innodb-redo-log-capacity",
  primaryOptions: gtid,
  replicaOptions: [...gtid, "--super-read-only=ON", "--relay-log-recovery=ON", "--skip-replica-start"],
  relayedLogOptions: [], // its default
  lagPrivileges: "REPLICATION CLIENT",
  selectPosition: "SELECT @@GLOBAL.gtid_executed",
  // The copy has part of the position already, and gtid_purged accepts only the rest.
  adoptPosition: (position) =>
    `SET GLOBAL gtid_purged = CONCAT('+', GTID_SUBTRACT('${position}', @@GLOBAL.gtid_executed))`,
  waitFor: (position) => `SELECT WAIT_FOR_EXECUTED_GTID_SET('${position}', 1)`,
  follow: (port, user, password) =>
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${port}, SOURCE_USER = '${user}', ` +
    `SOURCE_PASSWORD = '${password}', SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400, SOURCE_AUTO_POSITION = 1, ` +
    `GET_SOURCE_PUBLIC_KEY = 1`,
};
