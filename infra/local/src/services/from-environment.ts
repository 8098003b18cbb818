import { readFileSync } from "node:fs";
import { ServiceError } from "../process/service-error.ts";
import type { Addresses } from "./addresses.ts";

const names = ["AMQP_URL", "DATABASE_WRITE_URL", "DATABASE_READ_URL", "REDIS_URL"] as const;

/**
 * The addresses in the environment, as values or as names of files (`AMQP_URL_FILE`). Undefined when there are none. Throws when only some
 * are set, which is a mistake.
 */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Addresses | undefined {
  const missing = names.filter((name) => !environment[name] && !environment[`${name}_FILE`]);
  if (missing.length === names.length) return undefined;
  if (missing.length > 0) {
    throw new ServiceError(
      "environment-incomplete",
      `The environment has only some of the services' addresses. Missing: ${missing.join(", ")}. Set all four, or none.`,
    );
  }
  const address = (name: (typeof names)[number]): string => {
    const file = environment[`${name}_FILE`];
    if (!file) return environment[name] ?? "";
    if (!environment[name]) return contentOf(file, name);
    throw new ServiceError("environment-incomplete", `${name} and ${name}_FILE are both set. Set only one of them.`);
  };
  return {
    amqpUrl: address("AMQP_URL"),
    databaseWriteUrl: address("DATABASE_WRITE_URL"),
    databaseReadUrl: address("DATABASE_READ_URL"),
    redisUrl: address("REDIS_URL"),
  };
}

function contentOf(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch {
    throw new ServiceError("environment-incomplete", `Cannot read the file in ${name}_FILE.`);
  }
}
