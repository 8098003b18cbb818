import { Stack } from "aws-cdk-lib";
import { type Ec2TaskDefinition, ContainerImage, LogDrivers } from "aws-cdk-lib/aws-ecs";
import { Construct } from "constructs";
import type { Profile } from "../profiles.ts";
import { addLogGroup } from "./add-log-group.ts";
import { gatewayOperatorPort } from "../apps/app-settings.ts";
import { appMetrics, metricNamespace, nodeMetrics } from "./app-metrics.ts";

const image = "public.ecr.aws/cloudwatch-agent/cloudwatch-agent:1.300066.1b1374";

interface AgentParts {
  readonly system: string;
  readonly logDays: Profile["logDays"];
  /** RabbitMQ nodes with metrics, as host:port. */
  readonly nodes: readonly string[];
}

/** Adds the CloudWatch agent to the task of a gateway. When it fails the gateway keeps running, and other gateways report the same values. */
export function addMetricsAgent(
  scope: Construct,
  definition: Ec2TaskDefinition,
  { system, logDays, nodes }: AgentParts,
): void {
  const inside = new Construct(scope, "MetricsAgent");
  const metrics = addLogGroup(inside, "Metrics", logDays);
  metrics.grantWrite(definition.taskRole);
  const configuration = agentConfiguration({
    system,
    region: Stack.of(inside).region,
    logGroup: metrics.logGroupName,
    nodes,
  });
  definition.addContainer("metrics", {
    image: ContainerImage.fromRegistry(image),
    essential: false,
    enableRestartPolicy: true,
    // Its root file system is writable: at start it translates its configuration into files beside its program.
    cpu: 32,
    memoryLimitMiB: 192,
    environment: { CW_CONFIG_CONTENT: configuration.agent, PROMETHEUS_CONFIG_CONTENT: configuration.scraping },
    logging: LogDrivers.awsLogs({ logGroup: addLogGroup(inside, "Log", logDays), streamPrefix: "metrics" }),
  });
}

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
function agentConfiguration({ system, region, logGroup, nodes }: AgentSettings): AgentConfiguration {
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
