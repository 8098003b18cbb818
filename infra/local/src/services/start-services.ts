import { resolve } from "node:path";
import type { Accounts } from "./accounts.ts";
import { lockDirectory } from "../process/directory-lock.ts";
import { findPrograms, type Programs } from "./find-programs.ts";
import { fromDocker } from "./from-docker.ts";
import { fromEnvironment } from "./from-environment.ts";
import { advice, installPackages, type InstallOptions } from "./install-packages.ts";
import { whileInterruptible } from "./interruption.ts";
import { endLeftovers } from "../process/leftovers.ts";
import { privateServices } from "./private-services.ts";
import { ServiceError } from "../process/service-error.ts";
import type { Addresses, Services, StartOptions } from "./services.ts";
import { openWorkshop } from "../servers/context.ts";

/**
 * Gives running services, from the first source that has them: addresses in the environment; Docker Compose; servers installed on
 * this machine, which are installed first where that is possible. Resolves when all of them serve. Throws `ServiceError`.
 * The caller stops them: until `stop()` they run on, Ctrl-C or not.
 */
export async function startServices(options: StartOptions): Promise<Services> {
  const environment = options.environment ?? process.env;
  const given = fromEnvironment(environment);
  if (given)
    return {
      addresses: given,
      accounts: sameForAll(given),
      source: "environment",
      servers: [],
      stop: async () => undefined,
    };

  if (!/^[A-Za-z0-9_]{1,40}$/.test(options.database))
    throw new TypeError(`not a name for a database: ${options.database}`);
  const { say } = options;
  const namespace = plainName.test(options.namespace ?? "") ? options.namespace : undefined;
  const directory = resolve(options.directory);
  const release = await lockDirectory(directory);
  try {
    const services = await whileInterruptible(async (signal) => {
      await endLeftovers(directory, say);
      const dockerMay = options.docker !== "never" && (options.brokers ?? 1) === 1;
      const docker = dockerMay
        ? await fromDocker({ ...options, namespace, directory, environment, signal })
        : undefined;
      if (docker) return docker;
      const programs = await installedPrograms({ environment, say, signal });
      const workshop = await openWorkshop(directory, environment, say, signal);
      return privateServices(programs, { ...options, namespace }, workshop);
    });
    return { ...services, stop: () => services.stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

// Means the same in a pattern of Redis and in a regular expression. Another namespace gets accounts for any.
const plainName = /^[A-Za-z0-9_-]+$/;

const sameForAll = (addresses: Addresses): Accounts => ({
  gateway: addresses,
  writer: addresses,
  ranker: addresses,
  maintenance: addresses,
});

async function installedPrograms(options: InstallOptions): Promise<Programs> {
  const found = findPrograms(options.environment);
  if ("programs" in found) return found.programs;
  await installPackages(found.missing, options);
  const now = findPrograms(options.environment);
  if ("programs" in now) return now.programs;
  throw new ServiceError("not-installed", advice(now.missing));
}
