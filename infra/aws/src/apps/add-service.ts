import {
  AvailabilityZoneRebalancing,
  BuiltInAttributes,
  Ec2Service,
  PlacementStrategy,
  PropagatedTagSource,
  type Ec2TaskDefinition,
} from "aws-cdk-lib/aws-ecs";
import { SubnetType, type ISecurityGroup } from "aws-cdk-lib/aws-ec2";
import type { Construct } from "constructs";
import type { AppCluster } from "./add-cluster.ts";

interface ServiceParts {
  readonly apps: AppCluster;
  readonly definition: Ec2TaskDefinition;
  readonly securityGroup: ISecurityGroup;
  /** Share of the tasks that keep running during a deployment, in percent. */
  readonly healthyPercentMin: number;
}

/** A service of one app, spread over the zones. A deployment whose tasks do not become healthy is rolled back. Its count is that of its scaling. */
export function addService(
  scope: Construct,
  { apps, definition, securityGroup, healthyPercentMin }: ServiceParts,
): Ec2Service {
  return new Ec2Service(scope, "Service", {
    cluster: apps.cluster,
    taskDefinition: definition,
    capacityProviderStrategies: [{ capacityProvider: apps.capacityProvider.capacityProviderName, weight: 1 }],
    vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    securityGroups: [securityGroup],
    circuitBreaker: { enable: true, rollback: true },
    minHealthyPercent: healthyPercentMin,
    maxHealthyPercent: 150,
    placementStrategies: [
      PlacementStrategy.spreadAcross(BuiltInAttributes.AVAILABILITY_ZONE),
      PlacementStrategy.spreadAcrossInstances(),
    ],
    availabilityZoneRebalancing: AvailabilityZoneRebalancing.ENABLED,
    propagateTags: PropagatedTagSource.SERVICE,
  });
}
