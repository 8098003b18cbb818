import { existsSync, readdirSync, readFileSync } from "node:fs";
import { findProgram } from "../process/find-program.ts";
import type { MissingPackage } from "./find-programs.ts";
import { type CommandResult, runCommand } from "../process/run-command.ts";
import { ServiceError } from "../process/service-error.ts";

export interface InstallOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Installs Debian's or Ubuntu's packages of the missing servers, without starting a system service. Throws `not-installed`
 * with what to do by hand where that is not possible: no apt-get, or neither root nor sudo without a password.
 */
export async function installPackages(packages: readonly MissingPackage[], options: InstallOptions): Promise<void> {
  const { environment, say, signal } = options;
  const prefix = await rootPrefix(environment);
  if (prefix === undefined) throw new ServiceError("not-installed", advice(packages));
  say(`Installing ${packages.join(", ")} (apt-get; takes about a minute)`);
  // Breaking apt-get off leaves half-installed packages, and services that start: wait for its end.
  const onAbort = (): void => say("Waiting for apt-get to end");
  signal.addEventListener("abort", onAbort);
  const lift = await forbidServices(prefix, environment);
  try {
    const install = ["install", "-y", "--no-install-recommends", ...packages];
    if (hasLists() && (await aptGet(install, prefix, options)).exitCode === 0) return;
    signal.throwIfAborted();
    const update = await aptGet(["update"], prefix, options);
    signal.throwIfAborted();
    // Also when the update failed: it does so for any one source, and the packages may come from another.
    const result = await aptGet(install, prefix, options);
    if (result.exitCode === 0) return;
    const lines = `${update.errors}${result.output}${result.errors}`.trimEnd().split("\n").slice(-15);
    const words = lines.map((line) => `    ${line}`).join("\n");
    throw new ServiceError("install-failed", `apt-get failed. Its last words:\n${words}\n${advice(packages)}`);
  } finally {
    await lift();
    signal.removeEventListener("abort", onAbort);
  }
}

/** What a person can do about missing servers. */
export function advice(packages: readonly MissingPackage[]): string {
  return [
    `These servers are missing: ${packages.join(", ")}. Do one of these, then try again:`,
    `  - install them: sudo apt-get install --no-install-recommends ${packages.join(" ")}`,
    "    (elsewhere: MariaDB or MySQL, RabbitMQ, Redis or Valkey)",
    "  - start Docker, with its Compose plugin",
    "  - name running servers: AMQP_URL, DATABASE_WRITE_URL, DATABASE_READ_URL, REDIS_URL",
  ].join("\n");
}

const SAY_EVERY_MS = 5_000;

async function aptGet(
  args: readonly string[],
  prefix: readonly string[],
  { environment, say }: InstallOptions,
): Promise<CommandResult> {
  const beganAt = Date.now();
  let step = "";
  const progress = setInterval(() => {
    say(`  ${Math.round((Date.now() - beganAt) / 1000)} s  ${step.slice(0, 100)}`);
  }, SAY_EVERY_MS);
  // Another apt-get may be at work, e.g. the machine's own upgrades: wait a while for its lock.
  const apt = ["DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", ...args];
  const result = await asRoot(prefix, ["env", ...apt], environment, (line) => (step = line));
  clearInterval(progress);
  return result;
}

/** What to write before a command so that it runs as root: nothing, sudo, or undefined when that is not possible. */
async function rootPrefix(environment: NodeJS.ProcessEnv): Promise<readonly string[] | undefined> {
  if (findProgram(["apt-get"], environment) === undefined) return undefined;
  if (process.getuid?.() === 0) return [];
  const sudo = await runCommand("sudo", ["-n", "true"], { environment });
  return sudo.exitCode === 0 ? ["sudo", "-n"] : undefined;
}

const POLICY_FILE = "/usr/sbin/policy-rc.d";
const OUR_POLICY =
  "#!/bin/sh\n# Made by tally while it installs packages, so that none of their services starts.\nexit 101\n";

/** Debian's way to say that no service may start. Gives the function that takes it back; leaves a policy of the machine alone. */
async function forbidServices(
  prefix: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<() => Promise<unknown>> {
  if (existsSync(POLICY_FILE) && readFileSync(POLICY_FILE, "utf8") !== OUR_POLICY) return async () => undefined;
  await asRoot(
    prefix,
    ["sh", "-c", `printf %s "$1" > ${POLICY_FILE} && chmod 755 ${POLICY_FILE}`, "sh", OUR_POLICY],
    environment,
  );
  return () => asRoot(prefix, ["rm", "-f", POLICY_FILE], environment);
}

function asRoot(
  prefix: readonly string[],
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  onLine: (line: string) => void = () => undefined,
): Promise<CommandResult> {
  const [program = "", ...args] = [...prefix, ...command];
  return runCommand(program, args, { environment, onLine });
}

/** A minimal container comes without apt's lists of packages. */
function hasLists(): boolean {
  try {
    return readdirSync("/var/lib/apt/lists").some((file) => file.includes("_Packages"));
  } catch {
    return false;
  }
}
