import { Duration } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";

/** Metrics that the gateways expose and the agent beside them sends to CloudWatch, with the labels that become dimensions. */
export const appMetrics = {
  tally_seconds_to_drain: [],
  tally_queue_messages: [],
  tally_dead_letters: ["state"],
  tally_server_up: ["server"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** RabbitMQ's own, of the nodes on EC2. */
export const nodeMetrics = [
  "rabbitmq_disk_space_available_bytes",
  "rabbitmq_disk_space_available_limit_bytes",
] as const;

export const metricNamespace = "tally";

type Name = keyof typeof appMetrics | (typeof nodeMetrics)[number];

/** A metric of `system`, over all gateways and domains: of one value that every gateway reports, Maximum and Minimum are right, Sum is not. */
export function appMetric(
  system: string,
  metricName: Name,
  statistic: "Maximum" | "Minimum" | "SampleCount",
  labels: Readonly<Record<string, string>> = {},
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { system, ...labels },
    statistic,
    period: Duration.minutes(1),
  });
}
