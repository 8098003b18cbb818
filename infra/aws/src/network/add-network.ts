import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  NatProvider,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import type { Profile } from "../profiles.ts";
import { addLogGroup } from "../watch/add-log-group.ts";

export interface Network {
  readonly vpc: Vpc;
  /** The first NAT gateway, for networks that are added outside the VPC construct. */
  readonly natGatewayId: string;
}

/** Two zones, each with a public network (load balancer), one of the apps, and one of the servers without a way to the internet. */
export function addVpc(scope: Construct, { network, natGateways, logDays }: Profile): Network {
  const inside = new Construct(scope, "Network");
  const natGatewayProvider = NatProvider.gateway();
  const vpc = new Vpc(inside, "Vpc", {
    ipAddresses: IpAddresses.cidr(`${network}.0.0/16`),
    maxAzs: 2,
    natGateways,
    natGatewayProvider,
    restrictDefaultSecurityGroup: false, // would need a Lambda; no resource uses that group
    subnetConfiguration: [
      { name: "public", subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
      { name: "apps", subnetType: SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 22 },
      { name: "servers", subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
    ],
    // Layers of images come from S3: without a charge of the NAT gateway.
    gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
  });
  vpc.addFlowLog("Rejected", {
    destination: FlowLogDestination.toCloudWatchLogs(addLogGroup(inside, "RejectedTraffic", logDays)),
    trafficType: FlowLogTrafficType.REJECT,
  });
  const [natGateway] = natGatewayProvider.configuredGateways;
  if (natGateway === undefined) throw new Error("the VPC has no NAT gateway");
  return { vpc, natGatewayId: natGateway.gatewayId };
}
