import { Duration } from "aws-cdk-lib";
import { AutoScalingGroup, UpdatePolicy } from "aws-cdk-lib/aws-autoscaling";
import {
  BlockDeviceVolume,
  EbsDeviceVolumeType,
  InstanceType,
  LaunchTemplate,
  SubnetType,
  UserData,
  type ISecurityGroup,
  type IVpc,
} from "aws-cdk-lib/aws-ec2";
import { AmiHardwareType, AsgCapacityProvider, Cluster, EcsOptimizedImage } from "aws-cdk-lib/aws-ecs";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { sizes } from "../sizes.ts";
import { certificates } from "./app-settings.ts";

const certificatesUrl = "https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem";

interface ClusterParts {
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
}

export interface AppCluster {
  readonly cluster: Cluster;
  readonly capacityProvider: AsgCapacityProvider;
  readonly group: AutoScalingGroup;
}

/** ECS on Graviton instances in both zones. ECS starts and stops instances for the tasks, and drains one before it
 * ends. */
export function addCluster(scope: Construct, { vpc, securityGroup }: ClusterParts): AppCluster {
  const inside = new Construct(scope, "Apps");
  const cluster = new Cluster(inside, "Cluster", { vpc });
  const role = new Role(inside, "InstanceRole", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") });
  const userData = UserData.forLinux();
  // An instance without the certificates must not take tasks: they could not connect to the database.
  userData.addCommands(
    "set -eu",
    `mkdir -p ${certificates.folder}`,
    `curl --fail --silent --show-error --retry 10 --retry-all-errors --output ${certificates.file} ${certificatesUrl}`,
    `chmod 0644 ${certificates.file}`,
    // A container must not get the rights of its instance.
    "echo ECS_AWSVPC_BLOCK_IMDS=true >> /etc/ecs/ecs.config",
  );
  const launchTemplate = new LaunchTemplate(inside, "Instance", {
    // The newest image at each deployment, from a parameter of AWS.
    machineImage: EcsOptimizedImage.amazonLinux2023(AmiHardwareType.ARM),
    instanceType: new InstanceType(sizes.instances.type),
    role,
    securityGroup,
    userData,
    requireImdsv2: true,
    httpPutResponseHopLimit: 1,
    detailedMonitoring: true,
    blockDevices: [
      {
        deviceName: "/dev/xvda",
        volume: BlockDeviceVolume.ebs(30, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
      },
    ],
  });
  const group = new AutoScalingGroup(inside, "Instances", {
    vpc,
    vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    launchTemplate,
    minCapacity: sizes.instances.min,
    maxCapacity: sizes.instances.max,
    updatePolicy: UpdatePolicy.rollingUpdate({ maxBatchSize: 1, minInstancesInService: sizes.instances.min }),
    defaultInstanceWarmup: Duration.minutes(2),
  });
  const capacityProvider = new AsgCapacityProvider(inside, "Capacity", {
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
  return { cluster, capacityProvider, group };
}
