import { gatewayOperatorPort } from "../apps/app-settings.ts";
import { appMetrics, metricNamespace, nodeMetrics } from "./app-metrics.ts";

interface AgentSettings {
  readonly system: string;
  readonly region: string;
  readonly logGroup: string;
  /** RabbitMQ nodes with metrics, as host:port. */
  readonly nodes: readonly string[];
}

interface AgentConfiguration {
  /** Value of CW_CONFIG_CONTENT. */
  readonly agent: string;
  /** Value of PROMETHEUS_CONFIG_CONTENT. JSON is YAML. */
  readonly scraping: string;
}

/**
 * What the CloudWatch agent beside a gateway reads and sends: /metrics over loopback, as log lines in the embedded metric format. A metric has one
 * value for a set of dimensions, so that domains and gateways need no search: CloudWatch keeps the largest and smallest of all.
 */
export function agentConfiguration({ system, region, logGroup, nodes }: AgentSettings): AgentConfiguration {
  const dimensionSets = Object.entries(appMetrics).map(([name, labels]) => declaration("gateway", [name], labels));
  const broker = nodes.length === 0 ? [] : [declaration("rabbitmq", nodeMetrics, [])];
  return {
    agent: JSON.stringify({
      agent: { region },
      logs: {
        metrics_collected: {
          prometheus: {
            log_group_name: logGroup,
            prometheus_config_path: "env:PROMETHEUS_CONFIG_CONTENT",
            emf_processor: {
              metric_namespace: metricNamespace,
              metric_declaration: [...dimensionSets, ...broker],
            },
          },
        },
        force_flush_interval: 5,
      },
    }),
    scraping: JSON.stringify({
      global: { scrape_interval: "30s", scrape_timeout: "10s" },
      scrape_configs: [
        job("gateway", [`127.0.0.1:${gatewayOperatorPort}`], system),
        ...(nodes.length === 0 ? [] : [job("rabbitmq", nodes, system)]),
      ],
    }),
  };
}

function declaration(jobName: string, names: readonly string[], labels: readonly string[]) {
  return {
    source_labels: ["job"],
    label_matcher: `^${jobName}$`,
    dimensions: [["system", ...labels]],
    metric_selectors: names.map((name) => `^${name}$`),
  };
}

function job(name: string, targets: readonly string[], system: string) {
  return { job_name: name, static_configs: [{ targets, labels: { system } }] };
}
