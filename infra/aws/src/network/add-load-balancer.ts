import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { SubnetType, type ISecurityGroup, type IVpc } from "aws-cdk-lib/aws-ec2";
import type { Ec2Service } from "aws-cdk-lib/aws-ecs";
import {
  ApplicationLoadBalancer,
  ApplicationProtocol,
  DesyncMitigationMode,
  ListenerAction,
  ListenerCertificate,
  SslPolicy,
  TargetGroupLoadBalancingAlgorithmType,
  type ApplicationTargetGroup,
} from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { livePorts } from "../apps/app-settings.ts";
import type { Profile } from "../profiles.ts";

/** Seconds. The gateway keeps idle connections for 65 s: the load balancer closes them first, or its clients would get 502. */
const idleTimeoutSeconds = 60;

interface LoadBalancerParts {
  readonly profile: Profile;
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
  readonly certificateArn: string;
}

export interface LoadBalancer {
  readonly balancer: ApplicationLoadBalancer;
  /** Sends requests to a service's container of this name. */
  serve(service: Ec2Service, containerName: string): ApplicationTargetGroup;
}

/** HTTPS for clients, HTTP to the gateways. It appends to X-Forwarded-For and never repeats a POST. */
export function addLoadBalancer(
  scope: Construct,
  { profile, vpc, securityGroup, certificateArn }: LoadBalancerParts,
): LoadBalancer {
  const inside = new Construct(scope, "LoadBalancer");
  const balancer = new ApplicationLoadBalancer(inside, "Balancer", {
    vpc,
    internetFacing: true,
    vpcSubnets: { subnetType: SubnetType.PUBLIC },
    securityGroup,
    idleTimeout: Duration.seconds(idleTimeoutSeconds),
    dropInvalidHeaderFields: true,
    desyncMitigationMode: DesyncMitigationMode.DEFENSIVE,
    deletionProtection: true,
  });
  logAccess(inside, balancer, profile.logDays);
  balancer.addListener("Http", {
    port: 80,
    open: false,
    defaultAction: ListenerAction.redirect({ protocol: "HTTPS", port: "443", permanent: true }),
  });
  const https = balancer.addListener("Https", {
    port: 443,
    open: false,
    protocol: ApplicationProtocol.HTTPS,
    sslPolicy: SslPolicy.RECOMMENDED_TLS,
    certificates: [ListenerCertificate.fromArn(certificateArn)],
  });
  return {
    balancer,
    serve: (service, containerName) =>
      https.addTargets("Gateways", {
        protocol: ApplicationProtocol.HTTP,
        port: livePorts.gateway,
        targets: [service.loadBalancerTarget({ containerName, containerPort: livePorts.gateway })],
        // Longer than STOP_WITHIN_MS: a stopping gateway still responds to every request in flight.
        deregistrationDelay: Duration.seconds(30),
        loadBalancingAlgorithmType: TargetGroupLoadBalancingAlgorithmType.LEAST_OUTSTANDING_REQUESTS,
        // Not /health/ready: while the broker is away ECS would stop every gateway, and clients would get 502 instead of 503 with Retry-After.
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

/** Access logs in a bucket. Not through logAccessLogs, which needs to know the region: in every region the same service may write. */
function logAccess(scope: Construct, balancer: ApplicationLoadBalancer, days: number): void {
  const bucket = new Bucket(scope, "AccessLogs", {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    lifecycleRules: [{ expiration: Duration.days(days) }],
    removalPolicy: RemovalPolicy.RETAIN,
  });
  acknowledge(bucket, { S1: "it holds access logs; a log of the accesses to this bucket would need another bucket" });
  bucket.grantPut(new ServicePrincipal("logdelivery.elasticloadbalancing.amazonaws.com"), "AWSLogs/*");
  balancer.setAttribute("access_logs.s3.enabled", "true");
  balancer.setAttribute("access_logs.s3.bucket", bucket.bucketName);
  // The load balancer checks at once that it may write.
  if (bucket.policy !== undefined) balancer.node.addDependency(bucket.policy);
}
