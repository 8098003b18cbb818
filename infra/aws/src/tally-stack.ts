import { CfnOutput, CfnParameter, Stack, type App } from "aws-cdk-lib";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import type * as ecs from "aws-cdk-lib/aws-ecs";
import { Construct } from "constructs";
import { addCluster, type AppCluster } from "./apps/add-cluster.ts";
import { addService, addTask, liveCheck } from "./apps/add-task.ts";
import { addPasswords } from "./data/add-accounts.ts";
import { addSettings, type Servers } from "./data/add-settings.ts";
import { appEnvironment, livePorts, type App as AppName, type ChosenSettings } from "./apps/app-settings.ts";
import { addAmazonMq } from "./broker/add-amazon-mq.ts";
import { addCache, addDatabase } from "./data/add-servers.ts";
import { addLoadBalancer, addVpc, addSecurityGroups } from "./network/add-network.ts";
import { addOperatorTasks } from "./operate/add-operator-tasks.ts";
import { sizes, system } from "./sizes.ts";
import { addAlarms, addTopic } from "./watch/add-alarms.ts";
import { addMetricsAgent } from "./watch/metrics-agent.ts";
import { scaleOnDrain, scaleOnRequests } from "./watch/add-scaling.ts";

const tagPattern = "[A-Za-z0-9_][A-Za-z0-9_.-]*";

/** A whole tally in an own VPC. It names no account and no region; what differs between deployments is a parameter. */
export function addTallyStack(app: App): void {
  const stack = new Stack(app, system, {
    stackName: system,
    description: "tally: gateways, writers, rankers and their servers",
    tags: { system },
    terminationProtection: true,
  });
  const certificateArn = new CfnParameter(stack, "CertificateArn", {
    description: "Certificate of the name that clients use, in AWS Certificate Manager of this region",
    allowedPattern: "arn:aws[a-z-]*:acm:.+",
  }).valueAsString;
  const servedDomains = new CfnParameter(stack, "Domains", {
    description: "The domains that this system serves, such as purchases,steps. Empty: all",
    allowedPattern: "([a-z][a-z0-9-]*(,[a-z][a-z0-9-]*)*)?",
    default: "",
  }).valueAsString;
  const currency = new CfnParameter(stack, "Currency", {
    description: "The currency of prices, such as EUR. Empty: sales with prices are rejected",
    allowedPattern: "([A-Z]{3})?",
    default: "",
  }).valueAsString;

  const vpc = addVpc(stack);
  const groups = addSecurityGroups(stack, vpc);
  const passwords = addPasswords(stack);
  const place = { vpc, passwords };
  const database = addDatabase(stack, { ...place, securityGroup: groups.database });
  const cache = addCache(stack, { ...place, securityGroup: groups.cache });
  const broker = addAmazonMq(stack, { ...place, securityGroup: groups.broker });
  const servers: Servers = { passwords, database, cache, broker };

  const apps = addCluster(stack, { vpc, securityGroup: groups.instances });
  const trustedProxies = vpc
    .selectSubnets({ subnetType: ec2.SubnetType.PUBLIC })
    .subnets.map((subnet) => subnet.ipv4CidrBlock);
  const tasks: AppParts = { servers, apps, groups, chosen: { trustedProxies, servedDomains, currency } };
  const balancer = addLoadBalancer(stack, { vpc, securityGroup: groups.loadBalancer }, certificateArn);
  const gateway = addApp(stack, tasks, "gateway");
  const targetGroup = balancer.serve(gateway);
  scaleOnRequests(gateway, sizes.gateway, targetGroup);
  const writer = addApp(stack, tasks, "writer");
  const ranker = addApp(stack, tasks, "ranker");
  scaleOnDrain(writer, sizes.writer);
  scaleOnDrain(ranker, sizes.ranker);
  // The order of docs/runbook.md: a new writer may send messages that an earlier ranker cannot read, and a new gateway
  // those that an earlier writer cannot. In the first deployment rankers live and wait until a writer has declared the
  // queues.
  writer.node.addDependency(ranker);
  gateway.node.addDependency(writer);

  const operatorTag = new CfnParameter(stack, "OperatorTag", {
    description: "Tag of the image of migrate and the CLI. In an upgrade it changes before those of the apps",
    allowedPattern: tagPattern,
  }).valueAsString;
  addOperatorTasks(stack, { vpc, apps, securityGroup: groups.operator, imageTag: operatorTag, servers });
  const topic = addTopic(stack);
  addAlarms(stack, { ...servers, topic, cluster: apps.cluster, balancer: balancer.balancer, targetGroup });
  new CfnOutput(stack, "Address", { value: balancer.balancer.loadBalancerDnsName });
  new CfnOutput(stack, "AlarmTopic", { value: topic.topicArn });
}

interface AppParts {
  readonly servers: Servers;
  readonly apps: AppCluster;
  readonly groups: ReturnType<typeof addSecurityGroups>;
  readonly chosen: ChosenSettings;
}

function addApp(stack: Stack, { servers, apps, groups, chosen }: AppParts, name: AppName): ecs.Ec2Service {
  const inside = new Construct(stack, name);
  // One for each app: a rollback replaces gateways first.
  const imageTag = new CfnParameter(stack, `${name.charAt(0).toUpperCase()}${name.slice(1)}Tag`, {
    description: `Tag of the image of the ${name}: its release`,
    allowedPattern: tagPattern,
  }).valueAsString;
  const taskDefinition = addTask(inside, name, {
    image: name,
    imageTag,
    size: sizes[name],
    secrets: addSettings(inside, name, servers),
    environment: appEnvironment(name, chosen),
    ports: name === "gateway" ? [livePorts.gateway] : [],
    healthCheck: liveCheck(livePorts[name]),
  });
  if (name === "gateway") addMetricsAgent(inside, taskDefinition);
  // Writers and rankers may be fewer for a while: what waits is safe.
  const minHealthyPercent = name === "gateway" ? 100 : 50;
  return addService(inside, apps, groups[name], { taskDefinition, minHealthyPercent });
}
