import { findProgram } from "../process/find-program.ts";
import { ServiceError } from "../process/service-error.ts";
import type { DatabasePrograms } from "../servers/database-engine.ts";
import { installPackages, type InstallOptions } from "./apt-packages.ts";

export interface Programs {
  readonly database: DatabasePrograms;
  readonly rabbitmq: { readonly server: string; readonly epmd: string };
  readonly redis: string;
}

/** The servers installed on this machine. Installs missing ones where that is possible; throws `not-installed` or `install-failed`. */
export async function installedPrograms(options: InstallOptions): Promise<Programs> {
  const found = findPrograms(options.environment);
  if ("programs" in found) return found.programs;
  await installPackages(found.missing, advice(found.missing), options);
  const now = findPrograms(options.environment);
  if ("programs" in now) return now.programs;
  throw new ServiceError("not-installed", advice(now.missing));
}

/** The packages of Debian and Ubuntu that have the missing programs. */
type MissingPackage = "mariadb-server" | "rabbitmq-server" | "redis-server";

/** The installed servers, or the packages that are missing. Prefers MariaDB to MySQL. */
function findPrograms(
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

/** Instructions for a person, when servers are missing. */
function advice(packages: readonly MissingPackage[]): string {
  return [
    `These servers are missing: ${packages.join(", ")}. Do one of these, then run the command again:`,
    `  - install them: sudo apt-get install --no-install-recommends ${packages.join(" ")}`,
    "    (elsewhere: MariaDB or MySQL, RabbitMQ, Redis or Valkey)",
    "  - start Docker, with its Compose plugin",
    "  - set the addresses of running servers: AMQP_URL, DATABASE_WRITE_URL, DATABASE_READ_URL, REDIS_URL",
  ].join("\n");
}
