import { Duration } from "aws-cdk-lib";
import { Repository } from "aws-cdk-lib/aws-ecr";
import * as ecs from "aws-cdk-lib/aws-ecs";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { addLogGroup } from "../watch/metrics-agent.ts";
import { certificates, nodeEnvironment, stopTimeoutSeconds } from "./app-settings.ts";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import type { AppCluster } from "./add-cluster.ts";

/** The repositories of the images, one for each APP of infra/Dockerfile. */
export const images = ["gateway", "writer", "ranker", "admin"] as const;
type Image = (typeof images)[number];

export function repositoryName(image: Image): string {
  return `tally/${image}`;
}

type Options = ecs.ContainerDefinitionOptions;

export interface TaskParts extends Pick<Options, "healthCheck" | "command" | "entryPoint"> {
  readonly image: Image;
  /** The tag of the images: a parameter of the stack, so that an upgrade is a deployment with another value. */
  readonly imageTag: string;
  /** `cpu` in 1/1024 of a core, memory in MiB. */
  readonly size: { readonly cpu: number; readonly memory: number };
  readonly secrets: Readonly<Record<string, ecs.Secret>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly number[];
}

/** What every container gets: no root, no capabilities, a read-only root file system with /tmp in memory, and the
 * certificates of the database. */
export function hardened(scope: Construct): Pick<Options, "user" | "readonlyRootFilesystem" | "linuxParameters"> {
  const linuxParameters = new ecs.LinuxParameters(scope, "Linux", { initProcessEnabled: true });
  linuxParameters.dropCapabilities(ecs.Capability.ALL);
  linuxParameters.addTmpfs({ containerPath: "/tmp", size: 64 });
  return { user: "1000:1000", readonlyRootFilesystem: true, linuxParameters };
}

/** A task definition with one container of tally. Its role has no rights; ECS reads the secret for it. */
export function addTask(scope: Construct, id: string, parts: TaskParts): ecs.Ec2TaskDefinition {
  const inside = new Construct(scope, id);
  const { image, imageTag, size, environment, ports = [], ...own } = parts;
  const definition = addTaskDefinition(inside);
  const container = definition.addContainer(image, {
    image: ecs.ContainerImage.fromEcrRepository(
      Repository.fromRepositoryName(inside, "Repository", repositoryName(image)),
      imageTag,
    ),
    ...hardened(inside),
    cpu: size.cpu,
    memoryLimitMiB: size.memory,
    environment: { ...nodeEnvironment, ...environment },
    logging: ecs.LogDrivers.awsLogs({
      logGroup: addLogGroup(inside, "Log"),
      streamPrefix: image,
      // A blocked log must not block the app.
      mode: ecs.AwsLogDriverMode.NON_BLOCKING,
    }),
    portMappings: ports.map((containerPort) => ({ containerPort })),
    stopTimeout: Duration.seconds(stopTimeoutSeconds),
    ...own,
  });
  mountCertificates(container);
  return definition;
}

const certificatesVolume = "certificates";

/** A task definition whose tasks have an own network interface, hence an own security group. */
export function addTaskDefinition(scope: Construct): ecs.Ec2TaskDefinition {
  const definition = new ecs.Ec2TaskDefinition(scope, "Task", {
    networkMode: ecs.NetworkMode.AWS_VPC,
    volumes: [{ name: certificatesVolume, host: { sourcePath: certificates.folder } }],
  });
  acknowledge(definition, {
    ECS2: "these values are not secret: those with a password come from Secrets Manager",
    "IAM5[Resource::*]": "ecr:GetAuthorizationToken has no narrower resource",
  });
  return definition;
}

export function mountCertificates(container: ecs.ContainerDefinition): void {
  container.addMountPoints({ sourceVolume: certificatesVolume, containerPath: certificates.folder, readOnly: true });
}

/** Asks /health/live, as infra/Dockerfile does; ECS does not use the check in the image. */
export function liveCheck(port: number): ecs.HealthCheck {
  const url = `http://127.0.0.1:${port}/health/live`;
  return {
    command: ["CMD", "node", "-e", `fetch("${url}").then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`],
    interval: Duration.seconds(10),
    timeout: Duration.seconds(5),
    retries: 3,
    startPeriod: Duration.seconds(30),
  };
}

/** A service of one app, spread over the zones. A deployment whose tasks do not become healthy is rolled back. Its
 * count is that of its scaling. `minHealthyPercent`: the share of the tasks that keep running during a deployment. */
export function addService(
  scope: Construct,
  apps: AppCluster,
  securityGroup: ec2.ISecurityGroup,
  own: Pick<ecs.Ec2ServiceProps, "taskDefinition" | "minHealthyPercent">,
) {
  return new ecs.Ec2Service(scope, "Service", {
    ...own,
    cluster: apps.cluster,
    capacityProviderStrategies: [{ capacityProvider: apps.capacityProvider.capacityProviderName, weight: 1 }],
    vpcSubnets: { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS },
    securityGroups: [securityGroup],
    circuitBreaker: { enable: true, rollback: true },
    maxHealthyPercent: 150,
    placementStrategies: [
      ecs.PlacementStrategy.spreadAcross(ecs.BuiltInAttributes.AVAILABILITY_ZONE),
      ecs.PlacementStrategy.spreadAcrossInstances(),
    ],
    availabilityZoneRebalancing: ecs.AvailabilityZoneRebalancing.ENABLED,
    propagateTags: ecs.PropagatedTagSource.SERVICE,
  });
}
