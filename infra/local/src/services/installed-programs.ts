import { findProgram, ServiceError, lastLines, type CommandResult, runCommand } from "../process/run-command.ts";
import type { DatabasePrograms } from "../servers/database-server.ts";
import { existsSync, readFileSync } from "node:fs";

export interface Programs {
  readonly database: DatabasePrograms;
  readonly rabbitmq: { readonly server: string; readonly epmd: string };
  readonly redis: string;
}

/** The servers installed on this machine. Installs missing ones where that is possible; throws `not-installed` or
 * `install-failed`. */
export async function installedPrograms(options: InstallOptions): Promise<Programs> {
  const found = findPrograms(options.environment);
  if ("programs" in found) return found.programs;
  await installPackages(found.missing, adviceFor(found.missing), options);
  const now = findPrograms(options.environment);
  if ("programs" in now) return now.programs;
  throw new ServiceError("not-installed", adviceFor(now.missing));
}

/** The packages of Debian and Ubuntu that have the missing programs. */
type MissingPackage = "mariadb-server" | "rabbitmq-server" | "redis-server";

/** The installed servers, or the packages that are missing. Prefers MariaDB to MySQL. */
function findPrograms(
  environment: NodeJS.ProcessEnv,
): { readonly programs: Programs } | { readonly missing: readonly MissingPackage[] } {
  const databaseServer = findProgram(["mariadbd", "mysqld"], environment);
  const client = findProgram(["mariadb", "mysql"], environment);
  // Debian's rabbitmq-server in the PATH is a wrapper that switches the user or exits. The real script is in the
  // library folder.
  const broker = findProgram(["rabbitmq-server"], environment, ["/usr/lib/rabbitmq/bin"]);
  const epmd = findProgram(["epmd"], environment);
  const redis = findProgram(["redis-server", "valkey-server"], environment);
  if (databaseServer && client && broker && epmd && redis) {
    const database = { server: databaseServer, client };
    return { programs: { database, rabbitmq: { server: broker, epmd }, redis } };
  }
  const missing: MissingPackage[] = [];
  if (!databaseServer || !client) missing.push("mariadb-server");
  if (!broker || !epmd) missing.push("rabbitmq-server");
  if (!redis) missing.push("redis-server");
  return { missing };
}

/** Instructions for a person, when servers are missing. */
function adviceFor(packages: readonly MissingPackage[]): string {
  return [
    `These servers are missing: ${packages.join(", ")}. Do one of these, then run the command again:`,
    `  - install them: sudo apt-get install --no-install-recommends ${packages.join(" ")}`,
    "    (elsewhere: MariaDB or MySQL, RabbitMQ, Redis or Valkey)",
    "  - start Docker, with its Compose plugin",
    "  - set the addresses of running servers: AMQP_URL, DATABASE_WRITE_URL, DATABASE_READ_URL, REDIS_URL",
  ].join("\n");
}

export interface InstallOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Installs Debian packages without starting services. Throws `not-installed` without apt-get, root or sudo. */
async function installPackages(packages: readonly string[], advice: string, options: InstallOptions): Promise<void> {
  const { environment, say, signal } = options;
  const asRoot = await rootCommands(environment);
  if (asRoot === undefined) throw new ServiceError("not-installed", advice);
  say(`Installing ${packages.join(", ")} (apt-get; takes about a minute)`);
  // An interrupted apt-get leaves half-installed packages, and services that start: wait for its end.
  const onAbort = (): void => say("Waiting for apt-get to finish");
  signal.addEventListener("abort", onAbort);
  const allowServices = await forbidServices(asRoot);
  try {
    const update = await aptGet(["update"], asRoot, say);
    signal.throwIfAborted();
    // Also after a failed update: one unreachable source fails it, and the packages may come from another.
    const result = await aptGet(["install", "-y", "--no-install-recommends", ...packages], asRoot, say);
    if (result.exitCode === 0) return;
    const lines = lastLines(`${update.errors}${result.output}${result.errors}`);
    throw new ServiceError("install-failed", `apt-get failed. The end of its output:\n${lines}\n${advice}`);
  } finally {
    await allowServices();
    signal.removeEventListener("abort", onAbort);
  }
}

const progressEveryMs = 2000;

async function aptGet(args: readonly string[], asRoot: AsRoot, say: InstallOptions["say"]): Promise<CommandResult> {
  const beganAt = Date.now();
  let step = "";
  const progress = setInterval(() => {
    say(`  ${Math.round((Date.now() - beganAt) / 1000)} s  ${step.slice(0, 100)}`);
  }, progressEveryMs);
  // Another apt-get may be running, e.g. automatic upgrades: wait up to 120 s for its lock.
  const apt = ["DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", ...args];
  const result = await asRoot(["env", ...apt], (line) => (step = line));
  clearInterval(progress);
  return result;
}

type AsRoot = (command: readonly [string, ...string[]], onLine?: (line: string) => void) => Promise<CommandResult>;

/** Runs commands as root, with sudo if needed. Undefined when that is not possible, or where there is no apt-get. */
async function rootCommands(environment: NodeJS.ProcessEnv): Promise<AsRoot | undefined> {
  if (findProgram(["apt-get"], environment) === undefined) return undefined;
  const run = (program: string, args: readonly string[], onLine: (line: string) => void = () => undefined) =>
    runCommand(program, args, { environment, onLine });
  if (process.getuid?.() === 0) return ([program, ...args], onLine) => run(program, args, onLine);
  const { exitCode } = await run("sudo", ["-n", "true"]);
  return exitCode === 0 ? (command, onLine) => run("sudo", ["-n", ...command], onLine) : undefined;
}

const policyFile = "/usr/sbin/policy-rc.d";
const ourPolicy =
  "#!/bin/sh\n# Made by tally while it installs packages, so that none of their services starts.\nexit 101\n";

/** Forbids that packages start services, by Debian's policy file. Returns the function that undoes it. Keeps an
 * existing policy. */
async function forbidServices(asRoot: AsRoot): Promise<() => Promise<unknown>> {
  if (existsSync(policyFile) && readFileSync(policyFile, "utf8") !== ourPolicy) return async () => undefined;
  await asRoot(["sh", "-c", `printf %s "$1" > ${policyFile} && chmod 755 ${policyFile}`, "sh", ourPolicy]);
  return () => asRoot(["rm", "-f", policyFile]);
}

/** One program of the package of the same name, which is installed first where that is possible. `title`: for a person.
 */
export async function installedProgram(name: string, title: string, options: InstallOptions): Promise<string> {
  const find = (): string | undefined => findProgram([name], options.environment);
  const found = find();
  if (found !== undefined) return found;
  const advice = `${title} is not installed. Install it, then run the command again:\n  sudo apt-get install --no-install-recommends ${name}`;
  await installPackages([name], advice, options);
  const now = find();
  if (now === undefined) throw new ServiceError("not-installed", advice);
  return now;
}
