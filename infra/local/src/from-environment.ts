import { ServiceError } from "./service-error.ts";
import type { Addresses } from "./services.ts";

const NAMES = ["AMQP_URL", "DATABASE_WRITE_URL", "DATABASE_READ_URL", "REDIS_URL"] as const;

/** The addresses that the environment gives, undefined when it gives none. Throws when it gives only some: half is a mistake. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Addresses | undefined {
  const missing = NAMES.filter((name) => !environment[name]);
  if (missing.length === NAMES.length) return undefined;
  const { AMQP_URL, DATABASE_WRITE_URL, DATABASE_READ_URL, REDIS_URL } = environment;
  if (!AMQP_URL || !DATABASE_WRITE_URL || !DATABASE_READ_URL || !REDIS_URL) {
    throw new ServiceError(
      "environment-incomplete",
      `The environment gives only some of the services' addresses. Missing: ${missing.join(", ")}. Set all four, or none.`,
    );
  }
  return {
    amqpUrl: AMQP_URL,
    databaseWriteUrl: DATABASE_WRITE_URL,
    databaseReadUrl: DATABASE_READ_URL,
    redisUrl: REDIS_URL,
  };
}
