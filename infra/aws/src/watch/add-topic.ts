import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { RemovalPolicy } from "aws-cdk-lib";

/** Where alarms go. Its key is our own: CloudWatch and EventBridge may not use the key of SNS. Subscribe an address after the deployment. */
export function addTopic(scope: Construct): Topic {
  const inside = new Construct(scope, "Alarms");
  const masterKey = new Key(inside, "Key", { enableKeyRotation: true, removalPolicy: RemovalPolicy.DESTROY });
  for (const service of ["cloudwatch.amazonaws.com", "events.amazonaws.com"]) {
    masterKey.grantEncryptDecrypt(new ServicePrincipal(service));
  }
  return new Topic(inside, "Topic", { displayName: "tally alarms", masterKey, enforceSSL: true });
}
