import { execFile } from "node:child_process";
import { rm, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, parseEnv } from "node:util";
import {
  ChildServer,
  claimDirectory,
  directoryVariable,
  freePorts,
  portsOfNoLauncher,
  runCommand,
  ServiceError,
  until,
} from "@tally/local";
import { WrongUsage } from "../wrong-usage.ts";
import type { BenchPlan, Build } from "../bench-plan.ts";
import { observed, type System } from "../open-system.ts";

const run = promisify(execFile);

/** Installs commits in git worktrees, calls `work` with the builds by revision, and removes them. Throws a WrongUsage
 * before anything else where this clone lacks a revision: a hash, a tag or a branch. `name`: of the folder in .tally. */
export async function withBuilds<T>(
  revisions: readonly string[],
  { root, say, signal, name = "builds" }: Pick<BenchPlan, "root" | "say" | "signal"> & { readonly name?: string },
  work: (builds: ReadonlyMap<string, Build>) => Promise<T>,
): Promise<T> {
  const git = (...args: readonly string[]) => run("git", args, { cwd: root, signal });
  const commitOf = async (revision: string): Promise<string> => {
    const found = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`);
    return (await found.catch(() => Promise.reject(new WrongUsage(`there is no commit ${revision} in this clone`))))
      .stdout;
  };
  const commits = await Promise.all(revisions.map(commitOf));
  if (commits.length === 0) return work(new Map());
  const { directory, release } = await claimDirectory(join(root, ".tally"), name, say);
  const builds = new Map<string, Build>();
  try {
    for (const [index, revision] of revisions.entries()) {
      const commit = commits[index]?.trim() ?? "";
      const folder = join(directory, String(index));
      say(`installing ${revision}`);
      await git("worktree", "add", "--detach", folder, commit);
      const install = ["-y", "pnpm@12", "--dir", folder, "install", "--frozen-lockfile", "--prefer-offline"];
      const { exitCode, output, errors } = await runCommand("npx", install, { environment: process.env, signal });
      signal.throwIfAborted();
      if (exitCode !== 0)
        throw new ServiceError("server-failed", `${revision} cannot be installed:\n${output}${errors}`);
      builds.set(revision, { commit, folder });
    }
    return await work(builds);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    await release();
    await run("git", ["worktree", "prune"], { cwd: root });
  }
}

const readyWithinMs = 180_000;
const endWithinMs = 60_000;

/** Starts a build with its launcher, whose output has the addresses, and whose `.tally` the process ids. */
export async function openBuild({ folder }: Build, plan: Pick<BenchPlan, "settings" | "signal">): Promise<System> {
  const { settings, signal } = plan;
  const directory = join(folder, ".tally");
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  const { scripts }: { readonly scripts: { readonly dev: string } } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  const PATH = `${join(folder, "node_modules", ".bin")}:${process.env["PATH"]}`;
  const [port = 0] = await freePorts(1, portsOfNoLauncher);
  const ready = async (): Promise<boolean> => (await readFile(launcher.logFile, "utf8")).includes("\nready");
  const environment = {
    PATH,
    PORT: String(port),
    NODE_ENV: "production",
    LOG_LEVEL: "warn",
    // For commits that keep /metrics for a second.
    HEALTH_KEPT_MS: "0",
    // The apps' default, as of this checkout. The launcher's has prices too.
    BY: "quantity",
    CURRENCY: "USD",
    // No engine: the launcher then starts private servers.
    DOCKER_HOST: "unix:///nowhere",
    ...settings,
    // When this process is killed, the next claimDirectory ends the launcher.
    [directoryVariable]: folder,
  };
  const launcher = new ChildServer(
    { name: "launcher", program: "sh", args: ["-c", `exec ${scripts.dev}`], port, ready, readyWithinMs },
    { directory: folder, environment, say: () => undefined, signal },
  );
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    launcher.kill("SIGTERM");
    await until(async () => launcher.pid === undefined, { withinMs: endWithinMs });
    await launcher.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  await launcher.start();
  const tallyEnvironment: NodeJS.ProcessEnv = {
    ...settings,
    PATH,
    ...parseEnv(await readFile(join(directory, "dev", "environment"), "utf8")),
  };
  const observing = await observed({
    root: folder,
    ...addressesIn(await readFile(launcher.logFile, "utf8")),
    environment: tallyEnvironment,
    versions: { node: (await run("node", ["--version"], { env: { PATH } })).stdout.trim() },
    processes: [...(await processesIn(join(directory, "apps"))), ...(await processesIn(join(directory, "dev")))],
    amqpUrl: tallyEnvironment["AMQP_URL"] ?? "",
    namespace: settings["NAMESPACE"] ?? "tally",
    close: () => all.disposeAsync(),
  });
  const all = opened.move();
  return observing;
}

/** The addresses that `pnpm dev` prints. The gateway's metrics come first, the writer's and the ranker's last. */
export function addressesIn(output: string): Pick<System, "urls" | "writerUrls" | "rankerUrls"> {
  const url = /^ +API +(\S+)$/m.exec(output)?.[1];
  const metrics = /^ +metrics +(.+)$/m.exec(output)?.[1]?.split(", ") ?? [];
  const [writer, ranker] = metrics.slice(-2).map((one) => one.replace(/\/metrics$/, ""));
  if (url === undefined || writer === undefined || ranker === undefined)
    throw new ServiceError("server-failed", `the launcher printed no addresses:\n${output}`);
  return { urls: [url], writerUrls: [writer], rankerUrls: [ranker] };
}

/** The processes of a launcher's directory, from its pid files. */
async function processesIn(directory: string) {
  const files = await readdir(join(directory, "run"));
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.pid$/, ""),
      pid: Number(await readFile(join(directory, "run", file), "utf8")),
    })),
  );
}
