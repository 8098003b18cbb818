import * as ec2 from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import { sizes } from "../sizes.ts";
import { addLogGroup } from "../watch/metrics-agent.ts";
import { acknowledge } from "../acknowledge.ts";
import { apps, livePorts } from "../apps/app-settings.ts";
import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type * as ecs from "aws-cdk-lib/aws-ecs";
import * as elbv2 from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";

/** Two zones, each with a public network (load balancer), one of the apps, and one of the servers without a way to the
 * internet. */
export function addVpc(scope: Construct): ec2.Vpc {
  const inside = new Construct(scope, "Network");
  const vpc = new ec2.Vpc(inside, "Vpc", {
    ipAddresses: ec2.IpAddresses.cidr(`${sizes.network}.0.0/16`),
    maxAzs: 2,
    natGateways: sizes.natGateways,
    restrictDefaultSecurityGroup: false, // would need a Lambda; no resource uses that group
    subnetConfiguration: [
      { name: "public", subnetType: ec2.SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
      { name: "apps", subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 22 },
      { name: "servers", subnetType: ec2.SubnetType.PRIVATE_ISOLATED, cidrMask: 24 },
    ],
    // Layers of images come from S3: without a charge of the NAT gateway.
    gatewayEndpoints: { S3: { service: ec2.GatewayVpcEndpointAwsService.S3 } },
  });
  vpc.addFlowLog("Rejected", {
    destination: ec2.FlowLogDestination.toCloudWatchLogs(addLogGroup(inside, "RejectedTraffic")),
    trafficType: ec2.FlowLogTrafficType.REJECT,
  });
  return vpc;
}

export interface Place {
  readonly vpc: ec2.IVpc;
  readonly securityGroup: ec2.ISecurityGroup;
}

export const serverPorts = { database: 3306, cache: 6379, amqps: 5671, management: 443 } as const;

/** One group for each tier, with only the connections that it opens. Images, secrets and logs use the instance's. */
export function addSecurityGroups(scope: Construct, vpc: ec2.IVpc) {
  const inside = new Construct(scope, "SecurityGroups");
  const group = (tier: string): ec2.SecurityGroup =>
    new ec2.SecurityGroup(inside, tier, { vpc, description: `tally: ${tier}`, allowAllOutbound: false });
  const groups = {
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
  loadBalancer.addIngressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(443), "clients");
  loadBalancer.addIngressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(80), "clients, redirected to HTTPS");
  gateway.connections.allowFrom(loadBalancer, ec2.Port.tcp(livePorts.gateway), "requests and health checks");

  for (const from of [...apps.map((app) => groups[app]), operator]) {
    database.connections.allowFrom(from, ec2.Port.tcp(serverPorts.database), "MySQL");
    cache.connections.allowFrom(from, ec2.Port.tcp(serverPorts.cache), "Valkey");
    broker.connections.allowFrom(from, ec2.Port.tcp(serverPorts.amqps), "AMQP");
  }
  broker.connections.allowFrom(operator, ec2.Port.tcp(serverPorts.management), "accounts, through the management API");
  gateway.addEgressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(443), "metrics to CloudWatch");
  instances.addEgressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(443), "ECS, images, secrets, logs, certificates of RDS");
  return groups;
}

/** Seconds. The gateway keeps idle connections for 65 s: the load balancer closes them first, or its clients would get
 * 502. */
const idleTimeoutSeconds = 60;

/** HTTPS for clients, HTTP to the gateways. It appends to X-Forwarded-For and never repeats a POST. */
export function addLoadBalancer(scope: Construct, { vpc, securityGroup }: Place, certificateArn: string) {
  const inside = new Construct(scope, "LoadBalancer");
  const balancer = new elbv2.ApplicationLoadBalancer(inside, "Balancer", {
    vpc,
    internetFacing: true,
    vpcSubnets: { subnetType: ec2.SubnetType.PUBLIC },
    securityGroup,
    idleTimeout: Duration.seconds(idleTimeoutSeconds),
    dropInvalidHeaderFields: true,
    desyncMitigationMode: elbv2.DesyncMitigationMode.DEFENSIVE,
    deletionProtection: true,
  });
  logAccess(inside, balancer);
  balancer.addListener("Http", {
    port: 80,
    open: false,
    defaultAction: elbv2.ListenerAction.redirect({ protocol: "HTTPS", port: "443", permanent: true }),
  });
  const https = balancer.addListener("Https", {
    port: 443,
    open: false,
    protocol: elbv2.ApplicationProtocol.HTTPS,
    sslPolicy: elbv2.SslPolicy.RECOMMENDED_TLS,
    certificates: [elbv2.ListenerCertificate.fromArn(certificateArn)],
  });
  return {
    balancer,
    /** Sends requests to the containers of the gateways. */
    serve: (gateways: ecs.Ec2Service) =>
      https.addTargets("Gateways", {
        protocol: elbv2.ApplicationProtocol.HTTP,
        port: livePorts.gateway,
        targets: [gateways.loadBalancerTarget({ containerName: "gateway", containerPort: livePorts.gateway })],
        // Longer than STOP_WITHIN_MS: a stopping gateway still responds to every request in flight.
        deregistrationDelay: Duration.seconds(30),
        loadBalancingAlgorithmType: elbv2.TargetGroupLoadBalancingAlgorithmType.LEAST_OUTSTANDING_REQUESTS,
        // Not /health/ready: while the broker is away ECS would stop every gateway, and clients would get 502 instead
        // of 503 with Retry-After.
        healthCheck: {
          path: "/health/live",
          interval: Duration.seconds(5),
          timeout: Duration.seconds(3),
          healthyThresholdCount: 2,
          unhealthyThresholdCount: 3,
        },
      }),
  };
}

/** Access logs in a bucket. Not through logAccessLogs, which needs to know the region: in every region the same service
 * may write. */
function logAccess(scope: Construct, balancer: elbv2.ApplicationLoadBalancer): void {
  const bucket = new Bucket(scope, "AccessLogs", {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    lifecycleRules: [{ expiration: Duration.days(30) }],
    removalPolicy: RemovalPolicy.RETAIN,
  });
  acknowledge(bucket, { S1: "it holds access logs; a log of the accesses to this bucket would need another bucket" });
  bucket.grantPut(new ServicePrincipal("logdelivery.elasticloadbalancing.amazonaws.com"), "AWSLogs/*");
  balancer.setAttribute("access_logs.s3.enabled", "true");
  balancer.setAttribute("access_logs.s3.bucket", bucket.bucketName);
  // The load balancer checks at once that it may write.
  if (bucket.policy !== undefined) balancer.node.addDependency(bucket.policy);
}
