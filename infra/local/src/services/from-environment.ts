import { readFileSync } from "node:fs";
import { ServiceError } from "../process/service-error.ts";
import type { Addresses } from "./services.ts";

const NAMES = ["AMQP_URL", "DATABASE_WRITE_URL", "DATABASE_READ_URL", "REDIS_URL"] as const;

/**
 * The addresses that the environment gives, itself or in files (`AMQP_URL_FILE`), undefined when it gives none. Throws when it gives only
 * some: half is a mistake.
 */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Addresses | undefined {
  const missing = NAMES.filter((name) => !environment[name] && !environment[`${name}_FILE`]);
  if (missing.length === NAMES.length) return undefined;
  if (missing.length > 0) {
    throw new ServiceError(
      "environment-incomplete",
      `The environment gives only some of the services' addresses. Missing: ${missing.join(", ")}. Set all four, or none.`,
    );
  }
  const address = (name: (typeof NAMES)[number]): string => {
    const file = environment[`${name}_FILE`];
    if (!file) return environment[name] ?? "";
    if (!environment[name]) return contentOf(file, name);
    throw new ServiceError("environment-incomplete", `${name} and ${name}_FILE are both set. Set one of the two.`);
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
    throw new ServiceError("environment-incomplete", `The file that ${name}_FILE names cannot be read.`);
  }
}
