import { rm } from "node:fs/promises";
import { join } from "node:path";
import { redisAnswer } from "../servers/redis-answer.ts";
import { runCommand } from "../process/run-command.ts";
import { ServiceError } from "../process/service-error.ts";
import type { Sql } from "../servers/database-server.ts";
import { dataDirectory } from "../servers/redis.ts";
import type { Workshop } from "../servers/context.ts";

/** What the operator of private servers can do to them, and a fault drill in their place. Each call throws when it is refused. */
export interface Operator {
  /** SQL as the primary's root. */
  sql(text: string): Promise<string>;
  /** SQL as the replica's root. */
  replicaSql(text: string): Promise<string>;
  /** rabbitmqctl; takes about a second. Of a cluster: for its first node. */
  rabbitmqctl(...args: readonly string[]): Promise<string>;
  /** A command of Redis as its administrator, e.g. `SAVE`; answers the first bytes of the answer. */
  redis(command: string): Promise<string>;
  /** Takes Redis's data away, while it does not run. */
  wipeRedis(): Promise<void>;
}

export function operator(
  workshop: Workshop,
  o: { readonly sql: Sql; readonly replicaSql: Sql; readonly rabbitmqctl: string; readonly redisPort: number },
): Operator {
  return {
    sql: (text) => o.sql(text),
    replicaSql: (text) => o.replicaSql(text),
    async rabbitmqctl(...args) {
      const { exitCode, output, errors } = await runCommand(join(workshop.directory, o.rabbitmqctl), args, {
        environment: workshop.environment,
        timeoutMs: 60_000,
      });
      if (exitCode !== 0) throw new ServiceError("server-failed", `rabbitmqctl ${args.join(" ")}: ${errors.trim()}`);
      return output;
    },
    async redis(command) {
      const answer = await redisAnswer({ port: o.redisPort, password: workshop.passwords.redis }, command, 30_000);
      if (answer === "" || answer.startsWith("-"))
        throw new ServiceError("server-failed", `redis ${command}: ${answer}`);
      return answer;
    },
    wipeRedis: () => rm(join(dataDirectory(workshop), "dump.rdb"), { force: true }),
  };
}
