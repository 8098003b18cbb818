import { Stack } from "aws-cdk-lib";
import { type Ec2TaskDefinition, ContainerImage, LogDrivers } from "aws-cdk-lib/aws-ecs";
import { Construct } from "constructs";
import type { Profile } from "../profiles.ts";
import { addLogGroup } from "./add-log-group.ts";
import { agentConfiguration } from "./agent-configuration.ts";

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
