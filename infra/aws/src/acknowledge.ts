import { Validations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Accepts findings of cdk-nag on a construct and what is below it: each rule with the reason. A finding elsewhere
 * still fails the synthesis. */
export function acknowledge(scope: Construct, reasons: Readonly<Record<string, string>>): void {
  Validations.of(scope).acknowledge(
    ...Object.entries(reasons).map(([rule, reason]) => ({ id: `AwsSolutions-${rule}`, reason })),
  );
}
