import { asRoot } from "./as-root.ts";
import type { DatabaseEngine } from "./database-engine.ts";
import { temporaryDirectory } from "./database-server.ts";
import { findProgram } from "../process/find-program.ts";
import { runCommand } from "../process/run-command.ts";
import { setupFailure } from "./setup-failure.ts";

/** MariaDB from 10.5. */
export const mariadb: DatabaseEngine = {
  name: "MariaDB",

  async initialise(dataDirectory, programs, workshop) {
    const install =
      findProgram(["mariadb-install-db", "mysql_install_db"], workshop.environment) ?? "mariadb-install-db";
    // The first option must come first. A small log: the folder is copied for the replica, and the first start enlarges it.
    const temporary = await temporaryDirectory("primary", workshop);
    const own = [`--datadir=${dataDirectory}`, `--tmpdir=${temporary}`];
    const options = ["--no-defaults", ...asRoot(), ...own, "--innodb-log-file-size=8M"];
    const tables = await runCommand(
      install,
      [...options, "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"],
      workshop,
    );
    if (tables.exitCode !== 0) throw setupFailure("mariadb-install-db", tables);

    const { databaseRoot } = workshop.passwords;
    const accounts = await runCommand(programs.server, [...options, "--bootstrap", "--silent-startup"], {
      ...workshop,
      input: [
        "USE mysql;",
        "DELETE FROM global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');",
        "FLUSH PRIVILEGES;",
        `ALTER USER root@localhost IDENTIFIED BY '${databaseRoot}';`,
        "",
      ].join("\n"),
    });
    if (accounts.exitCode !== 0) throw setupFailure("mariadbd --bootstrap", accounts);
  },

  primaryOptions: ["--gtid-strict-mode=ON", "--innodb-log-file-size=512M", "--binlog-format=ROW"],
  replicaOptions: ["--gtid-strict-mode=ON", "--innodb-log-file-size=512M", "--read-only=ON", "--skip-slave-start"],
  lagPrivileges: "BINLOG MONITOR, SLAVE MONITOR",
  selectPosition: "SELECT @@GLOBAL.gtid_binlog_pos",
  adoptPosition: (position) => `SET GLOBAL gtid_slave_pos = '${position}'`,
  waitFor: (position) => `SELECT MASTER_GTID_WAIT('${position}', 1)`,
  follow: (port, user, password) =>
    `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${port}, MASTER_USER = '${user}', ` +
    `MASTER_PASSWORD = '${password}', MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos`,
};
