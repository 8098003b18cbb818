import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../process/run-command.ts";
import { checkSetup, type DatabaseEngine } from "./database-engine.ts";

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
