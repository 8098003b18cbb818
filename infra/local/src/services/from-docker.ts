import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { addressesOf } from "./accounts.ts";
import { findProgram } from "../process/find-program.ts";
import { freePorts } from "../process/free-ports.ts";
import { runCommand } from "../process/run-command.ts";
import { ServiceError } from "../process/service-error.ts";
import type { Services } from "./services.ts";
import { directoryId, keptPasswords } from "../servers/context.ts";

export interface DockerOptions {
  readonly directory: string;
  readonly database: string;
  readonly keepData: boolean;
  readonly namespace?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const COMPOSE_FILE = join(import.meta.dirname, "..", "..", "..", "compose.yaml");
const ANSWER_WITHIN_MS = 3_000;

/**
 * The services of infra/compose.yaml. Undefined where Docker Compose or its engine is missing, and, after a word about it,
 * where the containers do not start (images that cannot be fetched, for example): then the machine's own servers can serve.
 */
export async function fromDocker(options: DockerOptions): Promise<Services | undefined> {
  const { directory, database, keepData, namespace = "tally", environment, say, signal } = options;
  const docker = findProgram(["docker"], environment);
  if (docker === undefined || !(await engineAnswers(docker, environment))) return undefined;

  await mkdir(directory, { recursive: true, mode: 0o700 });
  const passwords = await keptPasswords(directory);
  const [amqp = 0, primary = 0, replica = 0, redis = 0] = await freePorts(4);
  // The volumes know the passwords of their first start. With a deleted directory the passwords go; the name is then another too.
  const project = `tally-${directoryId(directory + passwords.database)}`;
  const compose = (args: readonly string[], abort?: AbortSignal) =>
    runCommand(docker, ["compose", "--file", COMPOSE_FILE, "--project-name", project, ...args], {
      environment: {
        ...environment,
        TALLY_DATABASE: database,
        TALLY_AMQP_PORT: String(amqp),
        TALLY_DATABASE_PRIMARY_PORT: String(primary),
        TALLY_DATABASE_REPLICA_PORT: String(replica),
        TALLY_REDIS_PORT: String(redis),
        TALLY_RABBITMQ_PASSWORD: passwords.rabbitmq,
        TALLY_DATABASE_PASSWORD: passwords.database,
        TALLY_DATABASE_ROOT_PASSWORD: passwords.databaseRoot,
        TALLY_DATABASE_REPLICATION_PASSWORD: passwords.databaseReplication,
        TALLY_REDIS_PASSWORD: passwords.redis,
        TALLY_GATEWAY_PASSWORD: passwords.gateway,
        TALLY_WRITER_PASSWORD: passwords.writer,
        TALLY_RANKER_PASSWORD: passwords.ranker,
        TALLY_MAINTENANCE_PASSWORD: passwords.maintenance,
        TALLY_NAMESPACE: namespace,
      },
      ...(abort && { signal: abort }),
    });
  const stop = async (): Promise<void> => {
    await compose(keepData ? ["stop"] : ["down", "--volumes"]);
    if (!keepData) await rm(directory, { recursive: true, force: true });
  };

  say("Starting containers (docker compose; the first time it fetches the images)");
  const up = await compose(["up", "--detach", "--wait", "--wait-timeout", "300"], signal);
  if (up.exitCode !== 0 || signal.aborted) {
    await stop();
    signal.throwIfAborted();
    say(`Docker Compose cannot start them: ${up.errors.trim().split("\n").at(-1)}`);
    return undefined;
  }

  // A volume of an earlier version lacks some.
  const accounts = await compose(["exec", "--no-TTY", "database-primary", "bash", "/tally/mysql/accounts.sh"], signal);
  if (accounts.exitCode !== 0) {
    await stop();
    throw new ServiceError("server-failed", `The database's accounts cannot be made: ${accounts.errors.trim()}`);
  }

  let stopped: Promise<void> | undefined;
  return {
    ...addressesOf(passwords, database, { amqp: [amqp], primary, replica, redis }),
    source: "docker",
    servers: [],
    stop: () => (stopped ??= stop()),
  };
}

/** A docker client alone is no engine: ask. */
async function engineAnswers(docker: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const ask = (...args: string[]) => runCommand(docker, args, { environment, timeoutMs: ANSWER_WITHIN_MS });
  const answers = await Promise.all([ask("compose", "version"), ask("info", "--format", "{{.ServerVersion}}")]);
  return answers.every(({ exitCode, output }) => exitCode === 0 && output.trim() !== "");
}
