import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asRoot } from "./as-root.ts";
import type { DatabaseEngine } from "./database-engine.ts";
import { temporaryDirectory } from "./database-server.ts";
import { runCommand } from "../process/run-command.ts";
import { setupFailure } from "./setup-failure.ts";

const GTID = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--innodb-redo-log-capacity=512M", "--mysqlx=OFF"];

/** Oracle's MySQL from 8.0.30. */
export const mysql: DatabaseEngine = {
  name: "MySQL",

  async initialise(dataDirectory, programs, workshop) {
    const sqlFile = join(workshop.directory, "mysql-setup.sql");
    await mkdir(dataDirectory, { recursive: true });
    await writeFile(sqlFile, `ALTER USER root@localhost IDENTIFIED BY '${workshop.passwords.databaseRoot}';\n`, {
      mode: 0o600,
    });
    const tables = await runCommand(
      programs.server,
      [
        "--no-defaults",
        ...asRoot(),
        `--datadir=${dataDirectory}`,
        `--tmpdir=${await temporaryDirectory("primary", workshop)}`,
        "--initialize-insecure",
        `--init-file=${sqlFile}`,
      ],
      workshop,
    );
    if (tables.exitCode !== 0) throw setupFailure("mysqld --initialize", tables);
  },

  primaryOptions: GTID,
  replicaOptions: [...GTID, "--super-read-only=ON", "--relay-log-recovery=ON", "--skip-replica-start"],
  lagPrivileges: "REPLICATION CLIENT",
  selectPosition: "SELECT @@GLOBAL.gtid_executed",
  // The copy knows part of the position already, and gtid_purged takes only what is new.
  adoptPosition: (position) =>
    `SET GLOBAL gtid_purged = CONCAT('+', GTID_SUBTRACT('${position}', @@GLOBAL.gtid_executed))`,
  waitFor: (position) => `SELECT WAIT_FOR_EXECUTED_GTID_SET('${position}', 1)`,
  follow: (port, user, password) =>
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${port}, SOURCE_USER = '${user}', ` +
    `SOURCE_PASSWORD = '${password}', SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400, SOURCE_AUTO_POSITION = 1, ` +
    `GET_SOURCE_PUBLIC_KEY = 1`,
};
