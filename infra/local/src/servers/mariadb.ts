import { findProgram } from "../process/find-program.ts";
import { runCommand } from "../process/run-command.ts";
import { checkSetup, type DatabaseEngine } from "./database-engine.ts";

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
