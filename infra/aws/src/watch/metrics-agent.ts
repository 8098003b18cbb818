import { Duration, Stack, RemovalPolicy } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import * as ecs from "aws-cdk-lib/aws-ecs";
import { Construct } from "constructs";
import { system } from "../sizes.ts";
import { gatewayOperatorPort } from "../apps/app-settings.ts";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";

/** Metrics that the gateways expose and the agent beside them sends to CloudWatch, with the labels that become
 * dimensions. */
const appMetrics = {
  tally_seconds_to_drain: [],
  tally_queue_messages: [],
  tally_dead_letters: ["state"],
  tally_server_up: ["server"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const metricNamespace = "tally";

/** A metric over all gateways and domains: of one value that every gateway reports, Maximum and Minimum
 * are right, Sum is not. */
export function appMetric(
  metricName: keyof typeof appMetrics,
  statistic: "Maximum" | "Minimum" | "SampleCount",
  labels: Readonly<Record<string, string>> = {},
): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { system, ...labels },
    statistic,
    period: Duration.minutes(1),
  });
}

/** How many values came. The agent does not send +Inf, and while the broker responds a gateway reports both metrics of
 * each domain at once: where fewer are `finite` than `known`, a domain is at +Inf. */
export const drainCounts = {
  known: appMetric("tally_queue_messages", "SampleCount"),
  finite: appMetric("tally_seconds_to_drain", "SampleCount"),
};

const image = "public.ecr.aws/cloudwatch-agent/cloudwatch-agent:1.300066.1b1374";

/** Adds the CloudWatch agent to the task of a gateway. When it fails the gateway keeps running, and other gateways
 * report the same values. */
export function addMetricsAgent(scope: Construct, definition: ecs.Ec2TaskDefinition): void {
  const inside = new Construct(scope, "MetricsAgent");
  const metrics = addLogGroup(inside, "Metrics");
  metrics.grantWrite(definition.taskRole);
  definition.addContainer("metrics", {
    image: ecs.ContainerImage.fromRegistry(image),
    essential: false,
    enableRestartPolicy: true,
    // Its root file system is writable: at start it translates its configuration into files beside its program.
    cpu: 32,
    memoryLimitMiB: 192,
    environment: {
      CW_CONFIG_CONTENT: JSON.stringify(sending(Stack.of(inside).region, metrics.logGroupName)),
      // JSON is YAML.
      PROMETHEUS_CONFIG_CONTENT: JSON.stringify(scraping),
    },
    logging: ecs.LogDrivers.awsLogs({ logGroup: addLogGroup(inside, "Log"), streamPrefix: "metrics" }),
  });
}

/** The agent sends embedded metric lines, with one value for a set of dimensions. */
function sending(region: string, logGroup: string) {
  const declarations = Object.entries(appMetrics).map(([name, labels]) => ({
    source_labels: ["job"],
    label_matcher: "^gateway$",
    dimensions: [["system", ...labels]],
    metric_selectors: [`^${name}$`],
  }));
  return {
    agent: { region },
    logs: {
      metrics_collected: {
        prometheus: {
          log_group_name: logGroup,
          prometheus_config_path: "env:PROMETHEUS_CONFIG_CONTENT",
          emf_processor: { metric_namespace: metricNamespace, metric_declaration: declarations },
        },
      },
      force_flush_interval: 5,
    },
  };
}

/** It reads /metrics over loopback. */
const scraping = {
  global: { scrape_interval: "30s", scrape_timeout: "10s" },
  scrape_configs: [
    { job_name: "gateway", static_configs: [{ targets: [`127.0.0.1:${gatewayOperatorPort}`], labels: { system } }] },
  ],
};

/** A log group that keeps its lines for 30 days and is deleted with the stack. `name`: only where a server chooses the
 * name of its group. */
export function addLogGroup(scope: Construct, id: string, name?: string): LogGroup {
  return new LogGroup(scope, id, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(name === undefined ? {} : { logGroupName: name }),
  });
}
