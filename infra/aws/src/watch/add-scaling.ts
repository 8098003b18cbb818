import { Duration } from "aws-cdk-lib";
import { AdjustmentType, ScalableTarget, StepScalingAction } from "aws-cdk-lib/aws-applicationautoscaling";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import { ApplicationScalingAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type * as ecs from "aws-cdk-lib/aws-ecs";
import type * as elbv2 from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { Construct } from "constructs";
import type { sizes } from "../sizes.ts";
import { appMetric, drainCounts } from "./metrics-agent.ts";

/** Seconds to drain above which tasks are added: one, above 30 s two, above 120 s four. */
const behindSeconds = 10;

/** What a gateway's core accepts at full load (docs/scale.md: 41.6 µs) less the reserve for smaller batches: 0.3 of
 * 24,000 a second. */
const requestsPerTarget = 430_000;

const scales = {
  alarmDescription: "Scales; needs no attention",
  treatMissingData: cloudwatch.TreatMissingData.IGNORE,
};

/** Adds tasks by seconds to drain; removes one when drained and idle. While a domain is at +Inf none is removed. */
export function scaleOnDrain(
  service: ecs.Ec2Service,
  { tasksMin, tasksMax }: (typeof sizes)["writer" | "ranker"],
): void {
  const inside = new Construct(service, "Scaling");
  const scalingTarget = targetOf(service, tasksMin, tasksMax);
  const drain = appMetric("tally_seconds_to_drain", "Maximum");

  const more = new StepScalingAction(inside, "More", {
    scalingTarget,
    adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
    cooldown: Duration.minutes(2),
  });
  // Bounds count from the threshold of the alarm.
  more.addAdjustment({ adjustment: 1, lowerBound: 0, upperBound: 30 - behindSeconds });
  more.addAdjustment({ adjustment: 2, lowerBound: 30 - behindSeconds, upperBound: 120 - behindSeconds });
  more.addAdjustment({ adjustment: 4, lowerBound: 120 - behindSeconds });
  const behind = drain.createAlarm(inside, "Behind", {
    ...scales,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
    threshold: behindSeconds,
    evaluationPeriods: 2,
  });
  behind.addAlarmAction(new ApplicationScalingAction(more));

  const fewer = new StepScalingAction(inside, "Fewer", {
    scalingTarget,
    adjustmentType: AdjustmentType.CHANGE_IN_CAPACITY,
    cooldown: Duration.minutes(5),
  });
  fewer.addAdjustment({ adjustment: -1, lowerBound: 0 });
  const idle = new cloudwatch.MathExpression({
    label: "drained, and less than 30 % of the CPU in use",
    expression: "IF(drain < 2 AND cpu < 30 AND known == finite, 1, 0)",
    usingMetrics: { drain, cpu: service.metricCpuUtilization({ period: Duration.minutes(1) }), ...drainCounts },
    period: Duration.minutes(1),
  });
  const isIdle = idle.createAlarm(inside, "Idle", { ...scales, threshold: 1, evaluationPeriods: 15 });
  isIdle.addAlarmAction(new ApplicationScalingAction(fewer));
}

/** Gateways follow their requests, and their CPU: requests differ in what they cost. */
export function scaleOnRequests(
  service: ecs.Ec2Service,
  { tasksMin, tasksMax }: typeof sizes.gateway,
  targetGroup: elbv2.ApplicationTargetGroup,
): void {
  const scaling = service.autoScaleTaskCount({ minCapacity: tasksMin, maxCapacity: tasksMax });
  const cooldowns = { scaleOutCooldown: Duration.minutes(1), scaleInCooldown: Duration.minutes(5) };
  scaling.scaleOnRequestCount("Requests", { requestsPerTarget, targetGroup, ...cooldowns });
  scaling.scaleOnCpuUtilization("Cpu", { targetUtilizationPercent: 50, ...cooldowns });
}

function targetOf(service: ecs.Ec2Service, minCapacity: number, maxCapacity: number): ScalableTarget {
  const target = service.autoScaleTaskCount({ minCapacity, maxCapacity }).node.findChild("Target");
  if (target instanceof ScalableTarget) return target;
  throw new Error("aws-cdk-lib: expected a ScalableTarget named Target below the task count");
}
