import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { directoryVariable, leftover } from "../process/directory-lock.ts";
import { endOf, openContainer } from "../process/docker.ts";
import { freePorts } from "../process/free-ports.ts";
import { runCommand, ServiceError } from "../process/run-command.ts";
import { directoryId, keptPasswords, type Passwords } from "../servers/context.ts";
import type { HereOptions } from "./services.ts";

const composeFile = join(import.meta.dirname, "..", "..", "..", "compose.yaml");

/** The services of infra/compose.yaml. */
const portVariables = {
  rabbitmq: "TALLY_AMQP_PORT",
  "database-primary": "TALLY_DATABASE_PRIMARY_PORT",
  "database-replica": "TALLY_DATABASE_REPLICA_PORT",
  redis: "TALLY_REDIS_PORT",
} as const;
export type ContainerName = keyof typeof portVariables;

/** infra/compose.yaml with names, volumes and ports of one directory only, not started yet. Without `keepData` it is
 * deleted when this process exits without `end`; a file names it for a later launcher. */
export async function openProject(docker: string, options: HereOptions) {
  const { directory, database, keepData, namespace = "*", say, signal, waits } = options;
  const passwords = await keptPasswords(directory);
  const ports = await freePorts(4);
  const names = Object.keys(portVariables);
  const portOf = (name: ContainerName): number => ports[names.indexOf(name)] ?? 0;
  // The volumes keep the passwords of their first start. A new directory has new passwords, so it gets a new project
  // name too.
  const project = `tally-${directoryId(directory + passwords.database)}`;
  const environment = {
    ...options.environment,
    ...passwordVariables(passwords),
    ...Object.fromEntries(Object.values(portVariables).map((variable, index) => [variable, String(ports[index])])),
    TALLY_RESTART: "no",
    TALLY_DATABASE: database,
    TALLY_NAMESPACE: namespace,
  };
  if (!keepData) writeFileSync(join(directory, leftover.project), project);
  const onExit = (): void =>
    spawn(docker, endOf(project, { keepData }), { env: environment, detached: true, stdio: "ignore" }).unref();
  process.once("exit", onExit);
  const containerOf = (name: ContainerName): string => `${project}-${name}-1`;

  return {
    passwords,
    portOf,
    compose: (...args: readonly string[]) =>
      runCommand(docker, ["compose", "--file", composeFile, "--project-name", project, ...args], {
        environment,
        signal,
      }),
    /** Runs a command in a container. Throws `server-failed`. */
    execute: async (name: ContainerName, command: readonly string[], input = ""): Promise<string> => {
      const args = ["exec", "--interactive", containerOf(name), ...command];
      const { exitCode, output, errors } = await runCommand(docker, args, { environment, input });
      if (exitCode === 0) return output.trim();
      throw new ServiceError("server-failed", `${name}: ${command.join(" ")}: ${errors.trim()}`);
    },
    server: (name: ContainerName, ready: () => Promise<boolean>): ChildServer => {
      const container = openContainer(docker, containerOf(name), environment);
      // Runs as long as the container, which it starts unless that runs already.
      const args = ["start", "--attach", containerOf(name)];
      return new ChildServer(
        { name, program: docker, args, port: portOf(name), ready, container },
        { directory, environment: { ...environment, [directoryVariable]: directory }, say, signal, waits },
      );
    },
    end: async (): Promise<void> => {
      process.removeListener("exit", onExit);
      await runCommand(docker, endOf(project, { keepData }), { environment });
      if (!keepData) await rm(directory, { recursive: true, force: true });
    },
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
