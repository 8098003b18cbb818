import { Peer, Port, SecurityGroup, type IVpc } from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { apps, livePorts } from "../apps/app-settings.ts";

/** Ports of the servers. */
export const serverPorts = {
  database: 3306,
  cache: 6379,
  amqps: 5671,
  amqp: 5672,
  management: 443,
  prometheus: 15_692,
} as const;

const tiers = ["loadBalancer", "instances", ...apps, "operator", "database", "cache", "broker"] as const;
type Tier = (typeof tiers)[number];

export type SecurityGroups = Readonly<Record<Tier, SecurityGroup>>;

/**
 * One group for each tier, with the connections that it opens and no others, in both directions. `operator`: one-off tasks. Images, secrets and
 * logs of a task use the interface of its instance, so tasks need no way to the internet, except the gateway's agent, which sends metrics and
 * reads the operator port over loopback: no group opens that port.
 */
export function addSecurityGroups(scope: Construct, vpc: IVpc, brokerKind: "amazon-mq" | "ec2"): SecurityGroups {
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
    broker.connections.allowFrom(from, Port.tcp(brokerKind === "ec2" ? serverPorts.amqp : serverPorts.amqps), "AMQP");
  }
  if (brokerKind === "amazon-mq") {
    broker.connections.allowFrom(operator, Port.tcp(serverPorts.management), "accounts, through the management API");
  } else {
    broker.connections.allowFrom(gateway, Port.tcp(serverPorts.prometheus), "metrics of the nodes");
    broker.connections.allowInternally(Port.tcp(4369), "names of the nodes (epmd)");
    broker.connections.allowInternally(Port.tcp(25_672), "nodes among themselves");
    broker.addEgressRule(Peer.anyIpv4(), Port.tcp(443), "packages, image, secrets");
  }
  gateway.addEgressRule(Peer.anyIpv4(), Port.tcp(443), "metrics to CloudWatch");
  instances.addEgressRule(Peer.anyIpv4(), Port.tcp(443), "ECS, images, secrets, logs, certificates of RDS");
  return groups;
}
