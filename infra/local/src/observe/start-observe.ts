import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Apps } from "../start-apps.ts";
import { ChildServer, type ServerHome } from "../process/child-server.ts";
import { freePorts } from "../process/free-ports.ts";
import { isReady, type Waits } from "../process/until.ts";
import { directoryVariable, endLeftovers } from "../process/directory-lock.ts";
import { installedProgram, type InstallOptions } from "../services/installed-programs.ts";

/** The folder with what Prometheus and Grafana read. */
export const observeFiles = join(import.meta.dirname, "..", "..", "..", "observe");

/** The program, installed first where that is possible; throws `not-installed` or `install-failed`. */
export const installedPrometheus = (options: InstallOptions): Promise<string> =>
  installedProgram("prometheus", "Prometheus", options);

interface ObserveOptions extends InstallOptions {
  /** For data and logs, e.g. `<root>/.tally/dev/observe`. It keeps its data. */
  readonly directory: string;
  readonly apps: Pick<Apps, "operatorUrls" | "writers" | "rankers">;
  /** Gets what the start and the stop wait for. */
  readonly waits?: Waits | undefined;
}

export interface Observe {
  readonly prometheusUrl: string;
  stop(): Promise<void>;
}

/** Starts Prometheus on the apps, on a free loopback port. Resolves when it serves. */
export async function startObserve({
  directory,
  apps,
  environment,
  say,
  signal,
  waits,
}: ObserveOptions): Promise<Observe> {
  const program = await installedPrometheus({ environment, say, signal });
  for (const folder of ["log", "run", "data", "config"]) await mkdir(join(directory, folder), { recursive: true });
  await endLeftovers(directory, say);
  const variables = { PATH: environment["PATH"], [directoryVariable]: directory };
  const [port = 0] = await freePorts(1);
  const prometheus = await prometheusServer(
    program,
    { port, apps },
    { directory, environment: variables, say, signal, waits },
  );
  const stop = async (): Promise<void> => void (await prometheus.stop());
  try {
    await prometheus.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { prometheusUrl: `http://127.0.0.1:${port}`, stop };
}

async function prometheusServer(
  program: string,
  { port, apps }: { readonly port: number; readonly apps: ObserveOptions["apps"] },
  home: ServerHome,
): Promise<ChildServer> {
  const { directory } = home;
  const config = join(directory, "config");
  for (const name of ["prometheus.yml", "rules.yml"]) await cp(join(observeFiles, name), join(config, name));
  await writeFile(join(config, "targets.json"), JSON.stringify(targetsOf(apps), undefined, 2));
  const data = join(directory, "data");
  return new ChildServer(
    {
      name: "prometheus",
      program,
      args: [
        `--config.file=${join(config, "prometheus.yml")}`,
        `--storage.tsdb.path=${data}`,
        "--storage.tsdb.retention.time=7d",
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      port,
      ready: () => isReady(`http://127.0.0.1:${port}/-/ready`),
    },
    home,
  );
}

/** One group for each app, with its label `job`. */
function targetsOf({ operatorUrls, writers, rankers }: ObserveOptions["apps"]) {
  const local = ({ port }: { readonly port: number }): string => `127.0.0.1:${port}`;
  return [
    { targets: operatorUrls.map((url) => new URL(url).host), labels: { job: "gateway" } },
    { targets: writers.map(local), labels: { job: "writer" } },
    { targets: rankers.map(local), labels: { job: "ranker" } },
  ];
}
