import { Waits } from "../process/until.ts";
import { openContext } from "../servers/context.ts";
import { addressNames, fromEnvironment, sameForAll, withoutAddresses } from "./addresses.ts";
import { resolve } from "node:path";
import { endLeftovers, whileLocked } from "../process/directory-lock.ts";
import { findDocker } from "../process/docker.ts";
import { ServiceError } from "../process/run-command.ts";
import { fromDocker } from "./from-docker.ts";
import { fromPrograms } from "./from-programs.ts";
import { installedPrograms } from "./installed-programs.ts";
import type { HereOptions, Operator, Services, ServicesSource, StartOptions } from "./services.ts";

/** Servers from the environment, Docker Compose or programs, until `stop()`. Throws `ServiceError`. */
export async function startServices(options: StartOptions): Promise<Services> {
  const { environment = process.env, services: source } = options;
  const given = source === undefined || source === "environment" ? fromEnvironment(environment) : undefined;
  if (given)
    return {
      addresses: given,
      accounts: sameForAll(given),
      source: "environment",
      servers: [],
      stop: async () => undefined,
    };
  if (source === "environment")
    throw new ServiceError("environment-incomplete", `The environment names no servers: ${addressNames} are not set.`);

  if (!/^[A-Za-z0-9_]{1,40}$/.test(options.database))
    throw new TypeError(`not a valid database name: ${options.database}`);
  const { say, signal = new AbortController().signal, waits = new Waits() } = options;
  const namespace = plainName.test(options.namespace ?? "") ? options.namespace : undefined;
  const directory = resolve(options.directory);
  // Before the lock: the answer is the same while another launcher has it.
  const docker = await dockerFor({ ...options, environment });
  if (docker.program === undefined && source === "docker")
    throw new ServiceError("not-installed", `Docker cannot be used: ${docker.reason}.`);
  return whileLocked(directory, async () => {
    await waits.during("servers of an earlier run to stop", () => endLeftovers(directory, say));
    const services = await startHere(docker, { ...options, namespace, directory, environment, signal, waits });
    if (signal.aborted) await services.stop();
    signal.throwIfAborted();
    return services;
  });
}

async function startHere(
  { program: docker, reason }: Awaited<ReturnType<typeof dockerFor>>,
  options: HereOptions,
): Promise<Services> {
  const { services: source, directory, environment, say, signal, waits, configuration, redoLogMiB } = options;
  if (docker !== undefined) {
    try {
      return await fromDocker(docker, options);
    } catch (error) {
      if (source === "docker" || signal.aborted || !(error instanceof ServiceError)) throw error;
      reason = error.message;
      say(`${reason}\nStarting installed programs instead: they do not have the data of the containers`);
    }
  }
  const programs = await installedPrograms({ environment, say, signal }, reason);
  const context = await openContext(directory, environment, { say, signal, waits });
  return fromPrograms(programs, options, { ...context, configuration, redoLogMiB });
}

/** The docker program, or why these options need programs. */
async function dockerFor(options: StartOptions & Pick<HereOptions, "environment">): ReturnType<typeof findDocker> {
  const { services, brokers = 1, databaseReplicas = 1, redisCluster, configuration, environment } = options;
  if (services === "programs") return {};
  if (brokers > 1 || databaseReplicas > 1 || redisCluster !== undefined || configuration !== undefined)
    return { reason: "these servers have clusters or listeners that infra/compose.yaml has not" };
  return findDocker(environment);
}

// Safe in a Redis pattern and in a regular expression. For a namespace with other characters the accounts may use all
// namespaces.
const plainName = /^[A-Za-z0-9_-]+$/;

export interface PrivateServices extends Services {
  readonly operator: Operator;
}

interface PrivateOptions extends Omit<StartOptions, "keepData" | "services"> {
  readonly services?: Exclude<ServicesSource, "environment"> | undefined;
}

/** Starts empty servers, also where the environment names some; `stop()` deletes their data. Throws `ServiceError`, or
 * the reason of `signal`. */
export async function startPrivateServices(options: PrivateOptions): Promise<PrivateServices> {
  const environment = withoutAddresses(options.environment ?? process.env);
  const services = await startServices({ ...options, environment, keepData: false });
  const { operator } = services;
  if (operator !== undefined) return { ...services, operator };
  await services.stop();
  throw new TypeError("servers that were started here have an operator");
}
