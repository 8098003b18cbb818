import { ConfigError, readConfig, systemSettings } from "@tally/runtime";
import { ServiceError } from "../process/run-command.ts";

/** Addresses of the services, as URLs with user and password: of each node of a cluster, with commas between. The read
 * URL is that of the replica, of several each, which follows the primary with a small delay and rejects writes. */
export type Addresses = Readonly<Record<keyof typeof settings, string>>;

/** Who uses the servers besides the administrator `tally`. Each has its own accounts, with only the privileges that it
 * needs. */
export type Role = "gateway" | "writer" | "ranker" | "maintenance";

/** The addresses of each role, with the role's user and password in them. */
export type Accounts = Readonly<Record<Role, Addresses>>;

export const accountsOf = (addresses: (role: Role) => Addresses): Accounts => ({
  gateway: addresses("gateway"),
  writer: addresses("writer"),
  ranker: addresses("ranker"),
  maintenance: addresses("maintenance"),
});

export const sameForAll = (addresses: Addresses): Accounts => accountsOf(() => addresses);

/** Addresses of servers on this machine for the administrator, and for each role. `amqp` and `redis` have one port for
 * each node, `replicas` for each replica. */
export function addressesOf(
  passwords: Readonly<Record<Role | "rabbitmq" | "database" | "redis", string>>,
  database: string,
  ports: {
    readonly amqp: readonly number[];
    readonly primary: number;
    readonly replicas: readonly number[];
    readonly redis: readonly number[];
  },
): { readonly addresses: Addresses; readonly accounts: Accounts } {
  const redisScheme = ports.redis.length > 1 ? "redis+cluster" : "redis";
  const at = (user: string, own: { rabbitmq: string; database: string; redis: string }): Addresses => ({
    amqpUrl: ports.amqp.map((port) => `amqp://${user}:${own.rabbitmq}@127.0.0.1:${port}`).join(","),
    databaseWriteUrl: `mysql://${user}:${own.database}@127.0.0.1:${ports.primary}/${database}`,
    databaseReadUrl: ports.replicas
      .map((port) => `mysql://${user}:${own.database}@127.0.0.1:${port}/${database}`)
      .join(","),
    redisUrl: ports.redis.map((port) => `${redisScheme}://${user}:${own.redis}@127.0.0.1:${port}`).join(","),
  });
  return {
    addresses: at("tally", passwords),
    accounts: accountsOf((role) => {
      const password = passwords[role];
      return at(`tally_${role}`, { rabbitmq: password, database: password, redis: password });
    }),
  };
}

/** The environment variables by which the apps and the command `tally` find the services. */
export function addressVariables(addresses: Addresses): NodeJS.ProcessEnv {
  return {
    // The environment that these are added to may name files. Both at once are an error.
    ...Object.fromEntries(variables.map((variable) => [variable, ""])),
    AMQP_URL: addresses.amqpUrl,
    DATABASE_WRITE_URL: addresses.databaseWriteUrl,
    DATABASE_READ_URL: addresses.databaseReadUrl,
    REDIS_URL: addresses.redisUrl,
  };
}

const { amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl } = systemSettings;
const settings = { amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl };

const variables = Object.values(settings).flatMap(({ variable }) => [variable, `${variable}_FILE`]);

export const addressNames = Object.values(settings)
  .map(({ variable }) => variable)
  .join(", ");

export const withoutAddresses = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !variables.includes(name)));

/** The addresses in the environment, as values or files, read as the apps read them. Undefined without any; throws when
 * some are missing. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Addresses | undefined {
  if (variables.every((variable) => !environment[variable])) return undefined;
  try {
    return readConfig(settings, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ServiceError("environment-incomplete", `${error.message}\nSet all four addresses, or none.`);
  }
}
