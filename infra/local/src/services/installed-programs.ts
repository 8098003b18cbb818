import { join } from "node:path";
import { findProgram, ServiceError, lastLines, runCommand } from "../process/run-command.ts";

export type Programs = NonNullable<ReturnType<typeof findPrograms>["programs"]>;

/** The servers installed on this machine. Installs missing ones where that is possible; throws `not-installed` or
 * `install-failed`. `withoutDocker`: why Docker is not used instead. */
export async function installedPrograms(options: InstallOptions, withoutDocker?: string): Promise<Programs> {
  const found = findPrograms(options.environment);
  if (found.programs) return found.programs;
  await installPackages(found.missing, adviceFor(found.missing, withoutDocker), options);
  const now = findPrograms(options.environment);
  if (now.programs) return now.programs;
  throw new ServiceError("not-installed", adviceFor(now.missing, withoutDocker));
}

/** The packages of Debian and Ubuntu that have the missing programs. */
type MissingPackage = "mariadb-server" | "rabbitmq-server" | "redis-server";

/** The installed servers, or the packages that are missing. Prefers MariaDB to MySQL. */
export function findPrograms(environment: NodeJS.ProcessEnv) {
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

const adviceFor = (packages: readonly string[], withoutDocker?: string): string =>
  `These servers are missing: ${packages.join(", ")}; tally installs them only with apt-get, as root or with passwordless sudo` +
  (withoutDocker === undefined ? "." : `, and Docker does not take their place: ${withoutDocker}.`);

export interface InstallOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const script = join(import.meta.dirname, "..", "..", "..", "install-packages.sh");
const progressEveryMs = 2000;

/** Installs Debian packages without starting services. Throws `not-installed` without apt-get, root or sudo. */
async function installPackages(packages: readonly string[], advice: string, options: InstallOptions): Promise<void> {
  const { environment, say, signal } = options;
  const beganAt = Date.now();
  let step = "";
  const onLine = (line: string): void => {
    // What the script says, and that apt-get waits for the lock of another one.
    if (line !== step && /^(tally: |Waiting for )/.test(line)) say(line.replace("tally: ", ""));
    step = line;
  };
  const progress = setInterval(() => {
    say(`  ${Math.round((Date.now() - beganAt) / 1000)} s  ${step.slice(0, 100)}`);
  }, progressEveryMs);
  // An interrupted apt-get leaves half-installed packages, and services that start: wait for its end.
  const onAbort = (): void => say("Waiting for apt-get to finish");
  signal.addEventListener("abort", onAbort);
  const { exitCode, output, errors } = await runCommand("sh", [script, ...packages], { environment, onLine });
  clearInterval(progress);
  signal.removeEventListener("abort", onAbort);
  signal.throwIfAborted();
  if (exitCode === 3) throw new ServiceError("not-installed", advice);
  if (exitCode === 0) return;
  const lines = lastLines(output + errors);
  throw new ServiceError("install-failed", `apt-get failed. The end of its output:\n${lines}\n${advice}`);
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
