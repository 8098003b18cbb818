import { Duration } from "aws-cdk-lib";
import { AutoScalingGroup, UpdatePolicy } from "aws-cdk-lib/aws-autoscaling";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import * as ecs from "aws-cdk-lib/aws-ecs";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import type { Place } from "../network/add-network.ts";
import { sizes } from "../sizes.ts";
import { certificates } from "./app-settings.ts";

const certificatesUrl = "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem";

export type AppCluster = ReturnType<typeof addCluster>;

/** ECS on Graviton instances in both zones. ECS starts and stops instances for the tasks, and drains one before it
 * ends. */
export function addCluster(scope: Construct, { vpc, securityGroup }: Place) {
  const inside = new Construct(scope, "Apps");
  const cluster = new ecs.Cluster(inside, "Cluster", { vpc });
  const role = new Role(inside, "InstanceRole", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") });
  const userData = ec2.UserData.forLinux();
  // An instance without the certificates must not take tasks: they could not connect to the database.
  userData.addCommands(
    "set -eu",
    `mkdir -p ${certificates.folder}`,
    `curl --fail --silent --show-error --retry 10 --retry-all-errors --output ${certificates.file} ${certificatesUrl}`,
    `chmod 0644 ${certificates.file}`,
    // A container must not get the rights of its instance.
    "echo ECS_AWSVPC_BLOCK_IMDS=true >> /etc/ecs/ecs.config",
  );
  const launchTemplate = new ec2.LaunchTemplate(inside, "Instance", {
    // The newest image at each deployment, from a parameter of AWS.
    machineImage: ecs.EcsOptimizedImage.amazonLinux2023(ecs.AmiHardwareType.ARM),
    instanceType: new ec2.InstanceType(sizes.instances.type),
    role,
    securityGroup,
    userData,
    requireImdsv2: true,
    httpPutResponseHopLimit: 1,
    detailedMonitoring: true,
    blockDevices: [
      {
        deviceName: "/dev/xvda",
        volume: ec2.BlockDeviceVolume.ebs(30, { encrypted: true, volumeType: ec2.EbsDeviceVolumeType.GP3 }),
      },
    ],
  });
  const group = new AutoScalingGroup(inside, "Instances", {
    vpc,
    vpcSubnets: { subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS },
    launchTemplate,
    minCapacity: sizes.instances.min,
    maxCapacity: sizes.instances.max,
    updatePolicy: UpdatePolicy.rollingUpdate({ maxBatchSize: 1, minInstancesInService: sizes.instances.min }),
    defaultInstanceWarmup: Duration.minutes(2),
  });
  const capacityProvider = new ecs.AsgCapacityProvider(inside, "Capacity", {
    autoScalingGroup: group,
    enableManagedScaling: true,
    enableManagedDraining: true,
    // Protected instances would block the deletion of the stack; draining is enough.
    enableManagedTerminationProtection: false,
    targetCapacityPercent: 100,
  });
  cluster.addAsgCapacityProvider(capacityProvider);
  cluster.addDefaultCapacityProviderStrategy([{ capacityProvider: capacityProvider.capacityProviderName, weight: 1 }]);
  acknowledge(cluster, {
    ECS4: "priced per metric and task; the metrics of tally, of the services and of the load balancer are there without it",
  });
  acknowledge(group, {
    AS3: "ECS starts and stops instances all day; failed tasks and deployments are reported instead",
  });
  acknowledge(role, {
    "IAM5[Action::ecs:Submit*]": "what the ECS agent needs, limited to this cluster",
    "IAM5[Resource::*]":
      "ecs:DiscoverPollEndpoint, ecr:GetAuthorizationToken and the creation of log streams have no narrower resource",
  });
  return { cluster, capacityProvider };
}
