import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, runCommand, ServiceError } from "../process/run-command.ts";
import { freePorts } from "../process/free-ports.ts";
import type { Waits } from "../process/until.ts";
import { directoryId, keptPasswords, type Passwords } from "../servers/context.ts";
import { addressesOf } from "./addresses.ts";
import type { Services, StartOptions } from "./start-services.ts";

interface DockerOptions extends Pick<StartOptions, "directory" | "database" | "keepData" | "say"> {
  readonly namespace: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly waits: Waits;
}

const composeFile = join(import.meta.dirname, "..", "..", "..", "compose.yaml");

/** The services of infra/compose.yaml. Undefined without Docker Compose, or (it says why) when they do not start. */
export async function fromDocker(options: DockerOptions): Promise<Services | undefined> {
  const { directory, database, keepData, namespace = "tally", environment, say, signal, waits } = options;
  const docker = findProgram(["docker"], environment);
  if (docker === undefined) return undefined;
  if (!(await waits.during("Docker", () => engineResponds(docker, environment)))) return undefined;

  await mkdir(directory, { recursive: true, mode: 0o700 });
  const passwords = await keptPasswords(directory);
  const [amqp = 0, primary = 0, replica = 0, redis = 0] = await freePorts(4);
  // The volumes keep the passwords of their first start. A new directory has new passwords, so it gets a new project
  // name too.
  const project = `tally-${directoryId(directory + passwords.database)}`;
  const compose = (args: readonly string[], abort?: AbortSignal) =>
    runCommand(docker, ["compose", "--file", composeFile, "--project-name", project, ...args], {
      environment: {
        ...environment,
        TALLY_RESTART: "no",
        TALLY_DATABASE: database,
        TALLY_AMQP_PORT: String(amqp),
        TALLY_DATABASE_PRIMARY_PORT: String(primary),
        TALLY_DATABASE_REPLICA_PORT: String(replica),
        TALLY_REDIS_PORT: String(redis),
        ...passwordVariables(passwords),
        TALLY_NAMESPACE: namespace,
      },
      ...(abort && { signal: abort }),
    });
  const stop = async (): Promise<void> => {
    await waits.during("the containers to stop", () => compose(keepData ? ["stop"] : ["down", "--volumes"]));
    if (!keepData) await rm(directory, { recursive: true, force: true });
  };

  say("Starting containers (docker compose; the first start fetches the images)");
  const up = await waits.during("the containers", () =>
    compose(["up", "--detach", "--wait", "--wait-timeout", "300"], signal),
  );
  if (up.exitCode !== 0 || signal.aborted) {
    await stop();
    signal.throwIfAborted();
    say(`Docker Compose cannot start the containers: ${up.errors.trim().split("\n").at(-1)}`);
    return undefined;
  }

  // A volume of an earlier version lacks some accounts.
  const accounts = await waits.during("the database's accounts", () =>
    compose(["exec", "--no-TTY", "database-primary", "bash", "/tally/mysql/accounts.sh"], signal),
  );
  if (accounts.exitCode !== 0) {
    await stop();
    throw new ServiceError("server-failed", `Cannot create the database's accounts: ${accounts.errors.trim()}`);
  }

  return {
    ...addressesOf(passwords, database, { amqp: [amqp], primary, replicas: [replica], redis: [redis] }),
    source: "docker",
    servers: [],
    stop,
  };
}

/** The variables of compose.yaml: `databaseRoot` is TALLY_DATABASE_ROOT_PASSWORD. */
export const passwordVariables = (passwords: Passwords): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(passwords).map(([name, password]) => [
      `TALLY_${name.replaceAll(/[A-Z]/g, "_$&").toUpperCase()}_PASSWORD`,
      password,
    ]),
  );

/** The docker client can be installed without an engine. */
async function engineResponds(docker: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const run = (...args: string[]) => runCommand(docker, args, { environment, timeoutMs: 3000 });
  const results = await Promise.all([run("compose", "version"), run("info", "--format", "{{.ServerVersion}}")]);
  return results.every(({ exitCode, output }) => exitCode === 0 && output.trim() !== "");
}
