import { Duration, Fn } from "aws-cdk-lib";
import { CfnBroker } from "aws-cdk-lib/aws-amazonmq";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import { userName } from "../data/add-accounts.ts";
import type { ServerParts } from "../data/add-servers.ts";
import { serverPorts } from "../network/add-network.ts";
import { sizes, system } from "../sizes.ts";

/** What the other parts need of a broker. */
export type Broker = ReturnType<typeof addAmazonMq>;

/** Amazon MQ: RabbitMQ 4 on three nodes in three zones behind one address, TLS only. Amazon creates the administrator
 * alone, and no other account. */
export function addAmazonMq(scope: Construct, { vpc, securityGroup, passwords }: ServerParts) {
  const inside = new Construct(scope, "Broker");
  const broker = new CfnBroker(inside, "AmazonMq", {
    brokerName: system,
    engineType: "RABBITMQ",
    // RabbitMQ 4 runs on mq.m7g only.
    engineVersion: "4.2",
    hostInstanceType: sizes.brokerInstance,
    deploymentMode: "CLUSTER_MULTI_AZ",
    publiclyAccessible: false,
    autoMinorVersionUpgrade: true, // required by Amazon from RabbitMQ 3.13 on
    subnetIds: vpc.selectSubnets({ subnetType: ec2.SubnetType.PRIVATE_ISOLATED }).subnetIds,
    securityGroups: [securityGroup.securityGroupId],
    users: [{ username: userName("admin"), password: passwords.admin.text }],
    logs: { general: true },
    // One node after the other restarts; a quorum stays.
    maintenanceWindowStartTime: { dayOfWeek: "SUNDAY", timeOfDay: "04:00", timeZone: "UTC" },
  });
  // "amqps://b-….mq.REGION.amazonaws.com:5671"
  const address = Fn.select(1, Fn.split("://", Fn.select(0, broker.attrAmqpEndpoints)));
  const host = Fn.select(0, Fn.split(":", address));
  const metric = (metricName: string, statistic: string): cloudwatch.Metric =>
    new cloudwatch.Metric({
      namespace: "AWS/AmazonMQ",
      metricName,
      dimensionsMap: { Broker: system },
      statistic,
      period: Duration.minutes(1),
    });
  return {
    /** The value of AMQP_URL. */
    url: (user: string, password: string) => `amqps://${user}:${password}@${address}`,
    /** Where accounts are created. */
    managementUrl: `https://${host}:${serverPorts.management}`,
    /** Free disk of the node that has least, as a multiple of the limit at which it blocks publishers. */
    freeDisk: new cloudwatch.MathExpression({
      label: "free disk / limit",
      expression: "free / limit",
      usingMetrics: { free: metric("RabbitMQDiskFree", "Minimum"), limit: metric("RabbitMQDiskFreeLimit", "Maximum") },
      period: Duration.minutes(1),
    }),
  };
}
