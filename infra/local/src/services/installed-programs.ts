import { join } from "node:path";
import { findProgram, ServiceError, lastLines, runCommand } from "../process/run-command.ts";
import { Waits } from "../process/until.ts";

export type Programs = NonNullable<ReturnType<typeof findPrograms>["programs"]>;

/** The servers installed on this machine. Installs missing ones where that is possible; throws `not-installed` or
 * `install-failed`. `withoutDocker`: why Docker is not used instead. */
export function installedPrograms(options: InstallOptions, withoutDocker?: string): Promise<Programs> {
  const find = () => findPrograms(options.environment);
  const advice = (): string =>
    `These servers are missing: ${find().missing?.join(", ")}; tally installs them only with apt-get, as root or with passwordless sudo` +
    (withoutDocker === undefined ? "." : `, and Docker does not take their place: ${withoutDocker}.`);
  return installed(() => find().programs, find().missing ?? [], advice, options);
}

export const hasPrograms = (environment: NodeJS.ProcessEnv): boolean =>
  findPrograms(environment).programs !== undefined;

/** The packages of Debian and Ubuntu that have the missing programs. */
type MissingPackage = "mariadb-server" | "rabbitmq-server" | "redis-server";

/** The installed servers, or the packages that are missing. Prefers MariaDB to MySQL. */
function findPrograms(environment: NodeJS.ProcessEnv) {
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

export interface InstallOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** Has the installation while it runs. */
  readonly waits?: Waits | undefined;
}

const script = join(import.meta.dirname, "..", "..", "..", "install-packages.sh");

/** What `find` finds, perhaps after the installation of Debian packages, which starts no services. Throws
 * `not-installed` without apt-get, root or sudo. */
async function installed<T>(
  find: () => T | undefined,
  packages: readonly string[],
  advice: () => string,
  { environment, say, signal, waits = new Waits() }: InstallOptions,
): Promise<T> {
  const before = find();
  if (before !== undefined) return before;
  let last = "";
  const onLine = (line: string): void => {
    // What the script says, and that apt-get waits for the lock of another one.
    if (line !== last && /^(tally: |Waiting for )/.test(line)) say(line.replace("tally: ", ""));
    last = line;
  };
  // An interrupted apt-get leaves half-installed packages, and services that start: wait for its end.
  const onAbort = (): void => say("Waiting for apt-get to finish");
  signal.addEventListener("abort", onAbort);
  const { exitCode, output, errors } = await waits.during(`apt-get to install ${packages.join(" ")}`, () =>
    runCommand("sh", [script, ...packages], { environment, onLine }),
  );
  signal.removeEventListener("abort", onAbort);
  signal.throwIfAborted();
  if (exitCode !== 0 && exitCode !== 3) {
    const lines = lastLines(output + errors);
    throw new ServiceError("install-failed", `apt-get failed. The end of its output:\n${lines}\n${advice()}`);
  }
  const now = find();
  if (now === undefined) throw new ServiceError("not-installed", advice());
  return now;
}

/** One program of the package of the same name, which is installed first where that is possible. `title`: for a person.
 */
export function installedProgram(name: string, title: string, options: InstallOptions): Promise<string> {
  const advice = `${title} is not installed. Install it, then run the command again:\n  sudo apt-get install --no-install-recommends ${name}`;
  return installed(
    () => findProgram([name], options.environment),
    [name],
    () => advice,
    options,
  );
}
