import { ConfigError, readConfig, systemSettings } from "@tally/runtime";
import { ServiceError } from "../process/service-error.ts";
import type { Addresses } from "./addresses.ts";

const { amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl } = systemSettings;
const settings = { amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl };

/** The addresses in the environment, as values or files, read as the apps read them. Undefined without any; throws when some are missing. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Addresses | undefined {
  const variables = Object.values(settings).flatMap(({ variable }) => [variable, `${variable}_FILE`]);
  if (variables.every((variable) => !environment[variable])) return undefined;
  try {
    return readConfig(settings, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ServiceError("environment-incomplete", `${error.message}\nSet all four addresses, or none.`);
  }
}
