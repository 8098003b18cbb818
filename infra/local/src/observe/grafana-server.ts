import { join } from "node:path";
import { ChildServer, type ServerHome } from "../process/child-server.ts";
import { findProgram } from "../process/find-program.ts";
import { isReady } from "../process/is-ready.ts";

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
export function grafanaServer(
  { port, prometheusUrl, files }: GrafanaOptions,
  home: ServerHome,
): ChildServer | undefined {
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
