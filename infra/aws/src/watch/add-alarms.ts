import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic, type ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { RemovalPolicy, Duration, Stack } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type * as ecs from "aws-cdk-lib/aws-ecs";
import * as elbv2 from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { EventField, Match, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { Servers } from "../data/add-settings.ts";
import { appMetric, drainCounts } from "./metrics-agent.ts";

/** Where alarms go. Its key is our own: CloudWatch and EventBridge may not use the key of SNS. Subscribe an address
 * after the deployment. */
export function addTopic(scope: Construct): Topic {
  const inside = new Construct(scope, "Alarms");
  const masterKey = new Key(inside, "Key", { enableKeyRotation: true, removalPolicy: RemovalPolicy.DESTROY });
  for (const service of ["cloudwatch.amazonaws.com", "events.amazonaws.com"]) {
    masterKey.grantEncryptDecrypt(new ServicePrincipal(service));
  }
  const topic = new Topic(inside, "Topic", { displayName: "tally alarms", masterKey, enforceSSL: true });
  // enforceSSL replaces the policy that lets CloudWatch publish. The targets of EventBridge add their own statement.
  const conditions = { StringEquals: { "aws:SourceAccount": Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal("cloudwatch.amazonaws.com", { conditions }));
  return topic;
}

interface Watched extends Pick<Servers, "database" | "cache" | "broker"> {
  readonly topic: ITopic;
  readonly cluster: ecs.ICluster;
  readonly balancer: elbv2.ApplicationLoadBalancer;
  readonly targetGroup: elbv2.ApplicationTargetGroup;
}

interface Limit {
  readonly metric: cloudwatch.IMetric & { createAlarm: cloudwatch.Metric["createAlarm"] };
  readonly above?: number;
  readonly below?: number;
  /** Minutes in a row. */
  readonly minutes: number;
  readonly description: string;
  /** What it means when no value comes. */
  readonly missing?: cloudwatch.TreatMissingData;
}

/** The alarms of infra/observe/rules.yml that CloudWatch has the metrics for, and those of the managed servers.
 * docs/runbook.md says what to do. */
export function addAlarms(scope: Construct, watched: Watched): void {
  const inside = new Construct(scope, "Watch");
  const action = new SnsAction(watched.topic);
  const limits = { ...appLimits(), ...balancerLimits(watched), ...databaseLimits(watched), ...serverLimits(watched) };
  for (const [id, { metric, above, below, minutes, description, missing }] of Object.entries(limits)) {
    const options: cloudwatch.CreateAlarmOptions = {
      alarmDescription: description,
      threshold: above ?? below ?? 0,
      comparisonOperator:
        above === undefined
          ? cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
          : cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: minutes,
      treatMissingData: missing ?? cloudwatch.TreatMissingData.NOT_BREACHING,
    };
    const alarm = metric.createAlarm(inside, id, options);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
  addFailureEvents(inside, watched);
}

const period = Duration.minutes(1);

function appLimits(): Readonly<Record<string, Limit>> {
  return {
    Behind: {
      metric: appMetric("tally_seconds_to_drain", "Maximum"),
      above: 60,
      minutes: 3,
      missing: cloudwatch.TreatMissingData.BREACHING,
      description:
        "What waits takes over a minute to store and rank, or no gateway reports: docs/runbook.md#tallybehind",
    },
    Stalled: {
      metric: new cloudwatch.MathExpression({
        label: "domains without progress",
        expression: "known - FILL(finite, 0)",
        usingMetrics: drainCounts,
        period,
      }),
      above: 0,
      minutes: 3,
      description: "Events of a domain wait and nothing progresses: docs/runbook.md#tallybehind",
    },
    QueueOld: {
      metric: appMetric("tally_queue_messages", "Maximum"),
      above: 5000,
      minutes: 2,
      description: "A queue is half full; at 10,000 batches clients get 503: docs/runbook.md#tallyqueuefull",
    },
    DeadLetters: {
      metric: appMetric("tally_dead_letters", "Maximum", { state: "open" }),
      above: 0,
      minutes: 1,
      description: "Dead letters wait for a decision: docs/runbook.md#tallydeadletters",
    },
    ...Object.fromEntries(
      (["broker", "databaseWrite", "databaseRead", "redis"] as const).map((server) => [
        `Down-${server}`,
        {
          metric: appMetric("tally_server_up", "Minimum", { server }),
          below: 1,
          minutes: 2,
          missing: cloudwatch.TreatMissingData.BREACHING,
          description: `${server} does not respond to a gateway: docs/runbook.md#tallyserverdown`,
        },
      ]),
    ),
  };
}

function balancerLimits({ balancer, targetGroup }: Watched): Readonly<Record<string, Limit>> {
  return {
    Errors: {
      metric: new cloudwatch.MathExpression({
        label: "5xx of all requests, percent",
        expression: "100 * (FILL(ours, 0) + FILL(balancers, 0)) / requests",
        usingMetrics: {
          ours: balancer.metrics.httpCodeTarget(elbv2.HttpCodeTarget.TARGET_5XX_COUNT, { period }),
          balancers: balancer.metrics.httpCodeElb(elbv2.HttpCodeElb.ELB_5XX_COUNT, { period }),
          requests: balancer.metrics.requestCount({ period }),
        },
        period,
      }),
      above: 1,
      minutes: 2,
      description: "More than 1 % of all requests get a 5xx: docs/runbook.md#tallyerrors",
    },
    Slow: {
      metric: balancer.metrics.targetResponseTime({ statistic: "p99", period }),
      above: 0.5,
      minutes: 5,
      description: "p99 of the gateways is over 0.5 s: docs/runbook.md#tallyslow",
    },
    Unhealthy: {
      metric: targetGroup.metrics.unhealthyHostCount({ statistic: "Maximum", period }),
      above: 0,
      minutes: 3,
      description: "A gateway does not respond on /health/live: docs/runbook.md#tallyappdown",
    },
  };
}

function databaseLimits({ database: { cluster } }: Watched): Readonly<Record<string, Limit>> {
  return {
    ReplicaLag: {
      metric: cluster.metric("AuroraReplicaLagMaximum", { statistic: "Maximum", period }),
      above: 10_000,
      minutes: 2,
      description: "The read endpoint is over 10 s behind: docs/runbook.md#tallyreplicalag",
    },
    // The storage of Aurora grows by itself; temporary tables use the disk of each instance.
    DatabaseLocalDisk: {
      metric: cluster.metric("FreeLocalStorage", { statistic: "Minimum", period }),
      below: 2e9,
      minutes: 5,
      description: "An instance of the database has less than 2 GB for temporary tables",
    },
    DatabaseCpu: {
      metric: cluster.metricCPUUtilization({ statistic: "Maximum", period }),
      above: 80,
      minutes: 10,
      description: "An instance of the database uses over 80 % of its CPU",
    },
  };
}

function serverLimits({ cache, broker }: Watched): Readonly<Record<string, Limit>> {
  const largest = (metricName: string): cloudwatch.MathExpression =>
    new cloudwatch.MathExpression({
      expression: "MAX(METRICS())",
      label: `${metricName} of the fullest node`,
      usingMetrics: Object.fromEntries(
        cache.nodes.map((CacheClusterId, index) => [
          `n${index}`,
          new cloudwatch.Metric({
            namespace: "AWS/ElastiCache",
            metricName,
            dimensionsMap: { CacheClusterId },
            statistic: "Maximum",
            period,
          }),
        ]),
      ),
      period,
    });
  return {
    CacheMemory: {
      metric: largest("DatabaseMemoryUsagePercentage"),
      above: 75,
      minutes: 5,
      description: "A Valkey node is 75 % full; a full one stops rankings: add node groups or take larger nodes",
    },
    CacheCpu: {
      metric: largest("EngineCPUUtilization"),
      above: 80,
      minutes: 5,
      description: "A Valkey node uses over 80 % of its core: add node groups",
    },
    BrokerDisk: {
      metric: broker.freeDisk,
      below: 2,
      minutes: 2,
      description: "A broker node has less than twice its limit of free disk: docs/runbook.md#tallybrokerdisk",
    },
  };
}

/** Tasks of services that end by themselves, and deployments that fail, as messages: ECS reports them as events, and
 * they need no metric. */
function addFailureEvents(scope: Construct, { cluster, topic }: Watched): void {
  const service = { service: "ecs", resource: "service", resourceName: `${cluster.clusterName}/` };
  const rules = {
    TaskFailed: {
      eventPattern: {
        source: ["aws.ecs"],
        detailType: ["ECS Task State Change"],
        detail: {
          clusterArn: [cluster.clusterArn],
          // An operator task that succeeds has the first of these codes too.
          group: Match.prefix("service:"),
          lastStatus: ["STOPPED"],
          stopCode: ["EssentialContainerExited", "TaskFailedToStart"],
        },
      },
      text: `tally: a task of ${EventField.fromPath("$.detail.group")} failed: ${EventField.fromPath("$.detail.stoppedReason")}`,
    },
    DeploymentFailed: {
      eventPattern: {
        source: ["aws.ecs"],
        detailType: ["ECS Deployment State Change"],
        resources: Match.prefix(Stack.of(scope).formatArn(service)),
        detail: { eventName: ["SERVICE_DEPLOYMENT_FAILED"] },
      },
      text: `tally: a deployment failed and is rolled back: ${EventField.fromPath("$.detail.reason")}`,
    },
  };
  for (const [id, { eventPattern, text }] of Object.entries(rules)) {
    new Rule(scope, id, { eventPattern }).addTarget(new SnsTopic(topic, { message: RuleTargetInput.fromText(text) }));
  }
}
