import {
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  SubnetType,
  Vpc,
  Peer,
  Port,
  SecurityGroup,
  type IVpc,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import type { Profile } from "../profiles.ts";
import { addLogGroup } from "../watch/add-log-group.ts";
import { acknowledge } from "../acknowledge.ts";
import { apps, livePorts } from "../apps/app-settings.ts";

/** Two zones, each with a public network (load balancer), one of the apps, and one of the servers without a way to the internet. */
export function addVpc(scope: Construct, { network, natGateways, logDays }: Profile): Vpc {
  const inside = new Construct(scope, "Network");
  const vpc = new Vpc(inside, "Vpc", {
    ipAddresses: IpAddresses.cidr(`${network}.0.0/16`),
    maxAzs: 2,
    natGateways,
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
  return vpc;
}

/** Ports of the servers. */
export const serverPorts = {
  database: 3306,
  cache: 6379,
  amqps: 5671,
  management: 443,
} as const;

const tiers = ["loadBalancer", "instances", ...apps, "operator", "database", "cache", "broker"] as const;
type Tier = (typeof tiers)[number];

type SecurityGroups = Readonly<Record<Tier, SecurityGroup>>;

/**
 * One group for each tier, with the connections that it opens and no others, in both directions. `operator`: one-off tasks. Images, secrets and
 * logs of a task use the interface of its instance, so tasks need no way to the internet, except the gateway's agent, which sends metrics and
 * reads the operator port over loopback: no group opens that port.
 */
export function addSecurityGroups(scope: Construct, vpc: IVpc): SecurityGroups {
  const inside = new Construct(scope, "SecurityGroups");
  const group = (tier: Tier): SecurityGroup =>
    new SecurityGroup(inside, tier, { vpc, description: `tally: ${tier}`, allowAllOutbound: false });
  const groups: SecurityGroups = {
    loadBalancer: group("loadBalancer"),
    instances: group("instances"),
    gateway: group("gateway"),
    writer: group("writer"),
    ranker: group("ranker"),
    operator: group("operator"),
    database: group("database"),
    cache: group("cache"),
    broker: group("broker"),
  };
  const { loadBalancer, instances, gateway, operator, database, cache, broker } = groups;

  acknowledge(loadBalancer, { EC23: "clients are anywhere; a gateway requires an API key" });
  loadBalancer.addIngressRule(Peer.anyIpv4(), Port.tcp(443), "clients");
  loadBalancer.addIngressRule(Peer.anyIpv4(), Port.tcp(80), "clients, redirected to HTTPS");
  gateway.connections.allowFrom(loadBalancer, Port.tcp(livePorts.gateway), "requests and health checks");

  for (const from of [...apps.map((app) => groups[app]), operator]) {
    database.connections.allowFrom(from, Port.tcp(serverPorts.database), "MySQL");
    cache.connections.allowFrom(from, Port.tcp(serverPorts.cache), "Valkey");
    broker.connections.allowFrom(from, Port.tcp(serverPorts.amqps), "AMQP");
  }
  broker.connections.allowFrom(operator, Port.tcp(serverPorts.management), "accounts, through the management API");
  gateway.addEgressRule(Peer.anyIpv4(), Port.tcp(443), "metrics to CloudWatch");
  instances.addEgressRule(Peer.anyIpv4(), Port.tcp(443), "ECS, images, secrets, logs, certificates of RDS");
  return groups;
}
