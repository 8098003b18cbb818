import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Apps } from "../start-apps.ts";
import { ChildServer, type ServerHome } from "../process/child-server.ts";
import { findProgram } from "../process/find-program.ts";
import { freePorts } from "../process/free-ports.ts";
import { isReady, type Waits } from "../process/until.ts";
import { directoryVariable, endLeftovers } from "../process/leftovers.ts";
import { serverUser } from "../process/server-user.ts";
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
  /** Of Prometheus and, where it is installed, Grafana. */
  readonly prometheusUrl: string;
  readonly grafanaUrl: string | undefined;
  stop(): Promise<void>;
}

/** Starts Prometheus on the apps, and Grafana where it is installed, each on a free loopback port. Resolves when they serve. */
export async function startObserve(options: ObserveOptions): Promise<Observe> {
  const { directory, apps, environment, say, signal, waits } = options;
  const program = await installedPrometheus(options);
  for (const folder of ["log", "run", "data", "config"]) await mkdir(join(directory, folder), { recursive: true });
  await endLeftovers(directory, say);
  const home: ServerHome = {
    directory,
    environment: { PATH: environment["PATH"], [directoryVariable]: directory },
    say,
    signal,
    waits,
  };
  const [port = 0, grafanaPort = 0] = await freePorts(2);
  const prometheus = await prometheusServer(program, { port, apps }, home);
  const prometheusUrl = `http://127.0.0.1:${port}`;
  const grafana = grafanaServer({ port: grafanaPort, prometheusUrl, files: join(observeFiles, "grafana") }, home);
  const servers = [prometheus, ...(grafana === undefined ? [] : [grafana])];
  const stop = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    await Promise.all(servers.map((server) => server.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { prometheusUrl, grafanaUrl: grafana && `http://127.0.0.1:${grafanaPort}`, stop };
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
  const user = serverUser(["prometheus"], program, home);
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
      user: user && { as: user, owns: [data, config] },
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

interface GrafanaOptions {
  readonly port: number;
  readonly prometheusUrl: string;
  /** The folder with `dashboards` and `provisioning`. */
  readonly files: string;
}

// Where Grafana's own packages put what the server needs besides the program.
const homePath = "/usr/share/grafana";

/**
 * A Grafana, not started yet, that shows the dashboards without a login, on loopback only. Undefined, after a line that says so, where it is
 * not installed. Debian does not package it.
 */
function grafanaServer({ port, prometheusUrl, files }: GrafanaOptions, home: ServerHome): ChildServer | undefined {
  const program = findProgram(["grafana-server"], home.environment);
  if (program === undefined) {
    home.say(
      "Grafana is not installed, so only Prometheus starts. With Docker: the profile observe of infra/compose.production.yaml",
    );
    return undefined;
  }
  return new ChildServer(
    {
      name: "grafana",
      program,
      args: [`--homepath=${homePath}`],
      environment: {
        GF_SERVER_HTTP_ADDR: "127.0.0.1",
        GF_SERVER_HTTP_PORT: String(port),
        GF_PATHS_DATA: join(home.directory, "grafana"),
        GF_PATHS_LOGS: join(home.directory, "log", "grafana"),
        GF_PATHS_PROVISIONING: join(files, "provisioning"),
        GF_AUTH_ANONYMOUS_ENABLED: "true",
        GF_AUTH_DISABLE_LOGIN_FORM: "true",
        GF_AUTH_BASIC_ENABLED: "false",
        GF_ANALYTICS_REPORTING_ENABLED: "false",
        GF_ANALYTICS_CHECK_FOR_UPDATES: "false",
        TALLY_PROMETHEUS_URL: prometheusUrl,
        TALLY_DASHBOARDS: join(files, "dashboards"),
      },
      port,
      ready: () => isReady(`http://127.0.0.1:${port}/api/health`),
    },
    home,
  );
}
