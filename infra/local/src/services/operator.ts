import { join } from "node:path";
import { runCommand } from "../process/run-command.ts";
import { ServiceError } from "../process/service-error.ts";
import type { ServerContext } from "../servers/context.ts";
import type { Sql } from "../servers/database-server.ts";
import { redisCommand, wipeRedis } from "../servers/redis.ts";

/** What an operator can do to private servers. Used by tests and fault drills. Each call throws when the server rejects it. */
export interface Operator {
  /** SQL as the primary's root. */
  sql(text: string): Promise<string>;
  /** SQL as the replica's root. */
  replicaSql(text: string): Promise<string>;
  /** rabbitmqctl; takes about a second. In a cluster: for its first node. */
  rabbitmqctl(...args: readonly string[]): Promise<string>;
  /** A Redis command as its administrator, e.g. `SAVE`. Returns the first bytes of the response. */
  redis(command: string): Promise<string>;
  /** Deletes Redis's data. Redis must not run. */
  wipeRedis(): Promise<void>;
}

export function operator(
  context: ServerContext,
  options: { readonly sql: Sql; readonly replicaSql: Sql; readonly rabbitmqctl: string; readonly redisPort: number },
): Operator {
  return {
    sql: (text) => options.sql(text),
    replicaSql: (text) => options.replicaSql(text),
    async rabbitmqctl(...args) {
      const { exitCode, output, errors } = await runCommand(join(context.directory, options.rabbitmqctl), args, {
        environment: context.environment,
        timeoutMs: 60_000,
      });
      if (exitCode !== 0) throw new ServiceError("server-failed", `rabbitmqctl ${args.join(" ")}: ${errors.trim()}`);
      return output;
    },
    async redis(command) {
      const server = { port: options.redisPort, password: context.passwords.redis };
      const response = await redisCommand(server, command, 30_000);
      if (response === "" || response.startsWith("-"))
        throw new ServiceError("server-failed", `redis ${command}: ${response}`);
      return response;
    },
    wipeRedis: () => wipeRedis(context),
  };
}
