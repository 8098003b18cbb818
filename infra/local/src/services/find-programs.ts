import { type DatabasePrograms, findDatabasePrograms } from "../servers/database-engine.ts";
import { findProgram } from "../process/find-program.ts";

export interface Programs {
  readonly database: DatabasePrograms;
  readonly rabbitmq: { readonly server: string; readonly epmd: string };
  readonly redis: string;
}

/** The packages of Debian and Ubuntu that would bring what is missing. */
export type MissingPackage = "mariadb-server" | "rabbitmq-server" | "redis-server";

/** The installed servers, or the packages that are missing. */
export function findPrograms(
  environment: NodeJS.ProcessEnv,
): { readonly programs: Programs } | { readonly missing: readonly MissingPackage[] } {
  const database = findDatabasePrograms(environment);
  // Debian's rabbitmq-server in the PATH is a wrapper that switches the user or refuses: the real script lies in the library folder.
  const server = findProgram(["rabbitmq-server"], environment, ["/usr/lib/rabbitmq/bin"]);
  const epmd = findProgram(["epmd"], environment);
  const redis = findProgram(["redis-server", "valkey-server"], environment);
  if (database && server && epmd && redis) return { programs: { database, rabbitmq: { server, epmd }, redis } };
  const missing: MissingPackage[] = [];
  if (!database) missing.push("mariadb-server");
  if (!server || !epmd) missing.push("rabbitmq-server");
  if (!redis) missing.push("redis-server");
  return { missing };
}
