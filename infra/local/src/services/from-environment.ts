import { ConfigError, readConfig, systemSettings } from "@tally/service";
import { ServiceError } from "../process/service-error.ts";
import type { Addresses } from "./addresses.ts";

const { amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl } = systemSettings;
const settings = { amqpUrl, databaseWriteUrl, databaseReadUrl, redisUrl };

/**
 * The addresses in the environment, read as the apps read them: as values or as names of files (`AMQP_URL_FILE`). Undefined when there are
 * none. Throws when only some are set, which is a mistake.
 */
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
