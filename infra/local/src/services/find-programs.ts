import { findProgram } from "../process/find-program.ts";
import type { DatabasePrograms } from "../servers/database-engine.ts";

export interface Programs {
  readonly database: DatabasePrograms;
  readonly rabbitmq: { readonly server: string; readonly epmd: string };
  readonly redis: string;
}

/** The packages of Debian and Ubuntu that have the missing programs. */
export type MissingPackage = "mariadb-server" | "rabbitmq-server" | "redis-server";

/** The installed servers, or the packages that are missing. Prefers MariaDB to MySQL. */
export function findPrograms(
  environment: NodeJS.ProcessEnv,
): { readonly programs: Programs } | { readonly missing: readonly MissingPackage[] } {
  const databaseServer = findProgram(["mariadbd", "mysqld"], environment);
  const client = findProgram(["mariadb", "mysql"], environment);
  // Debian's rabbitmq-server in the PATH is a wrapper that switches the user or exits. The real script is in the library folder.
  const broker = findProgram(["rabbitmq-server"], environment, ["/usr/lib/rabbitmq/bin"]);
  const epmd = findProgram(["epmd"], environment);
  const redis = findProgram(["redis-server", "valkey-server"], environment);
  if (databaseServer && client && broker && epmd && redis) {
    const database = { server: databaseServer, client };
    return { programs: { database, rabbitmq: { server: broker, epmd }, redis } };
  }
  const missing: MissingPackage[] = [];
  if (!databaseServer || !client) missing.push("mariadb-server");
  if (!broker || !epmd) missing.push("rabbitmq-server");
  if (!redis) missing.push("redis-server");
  return { missing };
}
