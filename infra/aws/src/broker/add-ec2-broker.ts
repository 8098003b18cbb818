import { CfnParameter, Duration, Fn, RemovalPolicy, SecretValue, Size, Stack } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import {
  BlockDeviceVolume,
  CfnVolumeAttachment,
  EbsDeviceVolumeType,
  HttpTokens,
  Instance,
  InstanceType,
  PrivateSubnet,
  UserData,
  Volume,
  OperatingSystemType,
  type IMachineImage,
  type ISecurityGroup,
  type IVpc,
} from "aws-cdk-lib/aws-ec2";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { accounts, noRotation, type Passwords } from "../data/add-accounts.ts";
import { serverPorts } from "../network/add-network.ts";
import type { Profile } from "../profiles.ts";
import { appMetric } from "../watch/app-metrics.ts";
import type { Broker } from "./broker.ts";
import { readFileSync } from "node:fs";
import { namespace } from "../apps/app-settings.ts";

const nodes = [1, 2, 3] as const;
const device = "/dev/sdf";

interface Ec2BrokerParts {
  readonly system: string;
  readonly profile: Profile;
  readonly instance: string;
  readonly storageGb: number;
  readonly vpc: IVpc;
  /** The way to the internet: packages, image, secrets. */
  readonly natGatewayId: string;
  readonly securityGroup: ISecurityGroup;
  readonly passwords: Passwords;
}

/**
 * RabbitMQ on three instances in three zones (two zones would lose the majority with one of them), with fixed addresses and data volumes that outlive
 * them. AMQP without TLS: Nitro instances encrypt what they send each other within a VPC, and only the apps' security groups reach the port.
 */
export function addEc2Broker(scope: Construct, parts: Ec2BrokerParts): Broker {
  const { system, profile, passwords } = parts;
  const inside = new Construct(scope, "Broker");
  acknowledge(inside, { SMG4: noRotation });
  const addresses = nodes.map((number) => `${profile.network}.250.${subnetStart(number) + 10}`);
  const secret = addBrokerSecret(inside, passwords);
  const role = new Role(inside, "Role", {
    assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName("AmazonSSMManagedInstanceCore")],
  });
  acknowledge(role, {
    "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/AmazonSSMManagedInstanceCore]":
      "a shell without SSH, for rabbitmqctl and updates: the policy of AWS for exactly this",
  });
  secret.grantRead(role);
  const machineImage = addMachineImage(inside);
  const made: Instance[] = [];
  for (const number of nodes) {
    const node = addNode(inside, number, { ...parts, addresses, secret, role, machineImage });
    // One after the other, also in an update: the others stay a majority.
    node.node.addDependency(...made);
    made.push(node);
  }
  const period = Duration.minutes(1);
  return {
    url: (user, password) => addresses.map((at) => `amqp://${user}:${password}@${at}:${serverPorts.amqp}`).join(","),
    metricTargets: addresses.map((address) => `${address}:${serverPorts.prometheus}`),
    freeDisk: new MathExpression({
      label: "free disk / limit",
      expression: "free / limit",
      usingMetrics: {
        free: appMetric(system, "rabbitmq_disk_space_available_bytes", "Minimum"),
        limit: appMetric(system, "rabbitmq_disk_space_available_limit_bytes", "Maximum"),
      },
      period,
    }),
  };
}

/** The image of the nodes: a parameter, because another one replaces them. */
function addMachineImage(inside: Construct): IMachineImage {
  const imageId = new CfnParameter(Stack.of(inside), "BrokerImage", {
    type: "AWS::EC2::Image::Id",
    description: "Amazon Linux 2023 for arm64. Another image replaces the nodes: docs/deploy-aws.md",
  });
  return {
    getImage: () => ({
      imageId: imageId.valueAsString,
      osType: OperatingSystemType.LINUX,
      userData: UserData.forLinux(),
    }),
  };
}

interface NodeParts extends Ec2BrokerParts {
  readonly addresses: readonly string[];
  readonly secret: Secret;
  readonly role: Role;
  readonly machineImage: IMachineImage;
}

/** One node: its network, its instance and the volume that outlives it. */
function addNode(inside: Construct, number: (typeof nodes)[number], parts: NodeParts): Instance {
  const { profile, instance, storageGb, vpc, natGatewayId, securityGroup, addresses, secret, role, machineImage } =
    parts;
  const availabilityZone = Fn.select(number - 1, Fn.getAzs());
  const subnet = new PrivateSubnet(inside, `Subnet${number}`, {
    availabilityZone,
    cidrBlock: `${profile.network}.250.${subnetStart(number)}/28`,
    vpcId: vpc.vpcId,
  });
  subnet.addDefaultNatRoute(natGatewayId);
  const node = new Instance(inside, `Node${number}`, {
    vpc,
    vpcSubnets: { subnets: [subnet] },
    availabilityZone,
    instanceType: new InstanceType(instance),
    machineImage,
    securityGroup,
    role,
    privateIpAddress: addresses[number - 1] ?? "",
    userData: UserData.custom(
      brokerUserData({ number, addresses, region: Stack.of(inside).region, secretArn: secret.secretArn }),
    ),
    // Tokens are required, and a container cannot get one.
    httpTokens: HttpTokens.REQUIRED,
    httpPutResponseHopLimit: 1,
    detailedMonitoring: true,
    disableApiTermination: true,
    propagateTagsToVolumeOnCreation: true,
    blockDevices: [
      {
        deviceName: "/dev/xvda",
        volume: BlockDeviceVolume.ebs(20, { encrypted: true, volumeType: EbsDeviceVolumeType.GP3 }),
      },
    ],
  });
  acknowledge(node, {
    EC26: "the rule cannot read a zone that is a function; a test checks that every volume is encrypted",
  });
  const volume = new Volume(inside, `Data${number}`, {
    availabilityZone,
    size: Size.gibibytes(storageGb),
    encrypted: true,
    volumeType: EbsDeviceVolumeType.GP3,
    removalPolicy: RemovalPolicy.SNAPSHOT,
  });
  new CfnVolumeAttachment(inside, `Attachment${number}`, {
    device,
    instanceId: node.instanceId,
    volumeId: volume.volumeId,
  });
  return node;
}

function subnetStart(number: number): number {
  return (number - 1) * 16;
}

/** What a node reads at each start: the passwords of the accounts that it creates, and the cookie with which nodes know each other. */
function addBrokerSecret(scope: Construct, passwords: Passwords): Secret {
  const cookie = new Secret(scope, "Cookie", {
    description: "tally: cookie of the RabbitMQ nodes",
    generateSecretString: { passwordLength: 40, excludePunctuation: true },
  });
  const values = accounts.map((account): [string, SecretValue] => [
    account,
    SecretValue.unsafePlainText(passwords[account].text),
  ]);
  return new Secret(scope, "Settings", {
    description: "tally: accounts of RabbitMQ",
    secretObjectValue: { ...Object.fromEntries(values), cookie: cookie.secretValue },
  });
}

interface Node {
  /** From 1 to 3. */
  readonly number: number;
  readonly addresses: readonly string[];
  readonly region: string;
  readonly secretArn: string;
}

const infra = new URL("../../../", import.meta.url);

/** The user data of one RabbitMQ node: what infra/ec2/rabbitmq.sh sets, with values, then infra/ec2/run-rabbitmq.sh. At most 16 KiB, EC2's limit. */
export function brokerUserData({ number, addresses, region, secretArn }: Node): string {
  return [
    "#!/bin/bash",
    `NODE=${number}`,
    `ADDRESSES="${addresses.join(" ")}"`,
    `REGION="${region}"`,
    `SECRET="${secretArn}"`,
    `DEVICE=${device}`,
    `NAMESPACE=${namespace}`,
    hereDocument("DEFINITIONS", "rabbitmq/definitions.json"),
    hereDocument("FILL_TEMPLATE", "fill-template.sh"),
    read("ec2/run-rabbitmq.sh"),
  ].join("\n");
}

function hereDocument(variable: string, path: string): string {
  return `read -r -d '' ${variable} <<'END_OF_FILE' || true\n${read(path)}END_OF_FILE`;
}

function read(path: string): string {
  return readFileSync(new URL(path, infra), "utf8");
}
