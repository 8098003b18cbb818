import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Profile } from "../profiles.ts";

const retentions = { 7: RetentionDays.ONE_WEEK, 30: RetentionDays.ONE_MONTH, 90: RetentionDays.THREE_MONTHS } as const;

/** A log group that keeps its lines for `days` and is deleted with the stack. `name`: only where a server chooses the name of its group. */
export function addLogGroup(scope: Construct, id: string, days: Profile["logDays"], name?: string): LogGroup {
  return new LogGroup(scope, id, {
    retention: retentions[days],
    removalPolicy: RemovalPolicy.DESTROY,
    ...(name === undefined ? {} : { logGroupName: name }),
  });
}
