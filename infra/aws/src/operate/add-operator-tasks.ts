import { readFileSync } from "node:fs";
import { CfnOutput, Fn, Stack } from "aws-cdk-lib";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import * as ecs from "aws-cdk-lib/aws-ecs";
import { Construct } from "constructs";
import type { AppCluster } from "../apps/add-cluster.ts";
import { accounts, type Passwords } from "../data/add-accounts.ts";
import { addSettings, type Servers } from "../data/add-settings.ts";
import { addTask, addTaskDefinition, hardened, mountCertificates } from "../apps/add-task.ts";
import type { TaskParts } from "../apps/add-task.ts";
import { certificates, namespace } from "../apps/app-settings.ts";
import { databaseName, masterUser } from "../data/add-servers.ts";
import type { Place } from "../network/add-network.ts";
import { sizes } from "../sizes.ts";
import { addLogGroup } from "../watch/metrics-agent.ts";

const infra = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, infra), "utf8");

// The client of 8.4 verifies the name of the server; it is used once for each deployment that changes accounts.
const mysqlImage = "public.ecr.aws/docker/library/mysql:8.4";
const size = { cpu: 256, memory: 1024 };

interface OperatorParts extends Place {
  readonly apps: AppCluster;
  readonly imageTag: string;
  readonly servers: Servers;
}

/** Tasks run by hand: accounts, migrate (before each release) and `tally`. Each has an output with its command line. */
export function addOperatorTasks(scope: Construct, parts: OperatorParts): void {
  const { vpc, apps, securityGroup, imageTag, servers } = parts;
  const inside = new Construct(scope, "Operate");
  const environment = { NAMESPACE: namespace, RANKING_SHARDS: String(sizes.cache.rankingShards) };
  const common = { image: "admin", imageTag, size, environment } as const;
  const asAdmin = addSettings(inside, "admin", servers);
  const tasks: Readonly<Record<string, ecs.TaskDefinition>> = {
    DatabaseAccounts: addDatabaseAccounts(inside, servers),
    BrokerAccounts: addBrokerAccounts(inside, servers, common),
    Migrate: addTask(inside, "Migrate", { ...common, secrets: asAdmin, command: ["migrate"] }),
    Tally: addTask(inside, "Tally", {
      ...common,
      secrets: addSettings(inside, "maintenance", servers),
      command: ["status"],
    }),
  };
  const subnets = Fn.join(",", vpc.selectSubnets({ subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS }).subnetIds);
  for (const [name, definition] of Object.entries(tasks)) {
    new CfnOutput(Stack.of(inside), `Run${name}`, {
      value: [
        `aws ecs run-task --cluster ${apps.cluster.clusterName} --task-definition ${definition.taskDefinitionArn}`,
        `--capacity-provider-strategy capacityProvider=${apps.capacityProvider.capacityProviderName}`,
        `--network-configuration 'awsvpcConfiguration={subnets=[${subnets}],securityGroups=[${securityGroup.securityGroupId}]}'`,
      ].join(" "),
    });
  }
}

type Common = Pick<TaskParts, "image" | "imageTag" | "size" | "environment">;

/** infra/mysql/accounts.sql on the write endpoint, as the first user of the cluster. Safe to repeat: it creates what is
 * missing. */
function addDatabaseAccounts(scope: Construct, { passwords, database }: Servers): ecs.TaskDefinition {
  const inside = new Construct(scope, "DatabaseAccounts");
  const definition = addTaskDefinition(inside);
  const container = definition.addContainer("mysql", {
    image: ecs.ContainerImage.fromRegistry(mysqlImage),
    ...hardened(inside),
    cpu: size.cpu,
    memoryLimitMiB: size.memory,
    entryPoint: ["bash", "-ceu", fillAndRun],
    environment: {
      FILL_TEMPLATE: read("fill-template.sh"),
      ACCOUNTS: read("mysql/accounts.sql"),
      FILL_DATABASE: databaseName,
      FILL_DATABASES: databaseName.replaceAll("_", String.raw`\_`),
      FILL_FROM: `${sizes.network}.%`,
      FILL_LAG: "REPLICATION CLIENT",
      HOST: database.cluster.clusterEndpoint.hostname,
    },
    secrets: { ...fillSecrets(passwords), MYSQL_PWD: ecs.Secret.fromSecretsManager(passwords.admin.secret) },
    logging: ecs.LogDrivers.awsLogs({ logGroup: addLogGroup(inside, "Log"), streamPrefix: "accounts" }),
  });
  mountCertificates(container);
  return definition;
}

const fillAndRun = [
  `sql=$(bash -c "$FILL_TEMPLATE" fill-template <(printf '%s' "$ACCOUNTS"))`,
  `mysql --host="$HOST" --user=${masterUser} --ssl-mode=VERIFY_IDENTITY --ssl-ca=${certificates.file} <<<"$sql"`,
].join("\n");

/** infra/rabbitmq/definitions.json through the management API: Amazon MQ reads no file. Safe to repeat: each call sets
 * one account. */
function addBrokerAccounts(scope: Construct, { passwords, broker }: Servers, common: Common): ecs.TaskDefinition {
  return addTask(scope, "BrokerAccounts", {
    ...common,
    secrets: fillSecrets(passwords),
    environment: {
      FILL_NAMESPACE: namespace,
      DEFINITIONS: read("rabbitmq/definitions.json"),
      MANAGEMENT_URL: broker.managementUrl,
    },
    entryPoint: ["node", "--input-type=module-typescript", "--eval", read("aws/src/operate/create-broker-accounts.ts")],
    command: [],
  });
}

/** The passwords under the names that infra/fill-template.sh expects. */
function fillSecrets(passwords: Passwords): Readonly<Record<string, ecs.Secret>> {
  return Object.fromEntries(
    accounts.map((account) => [
      `FILL_${account.toUpperCase()}`,
      ecs.Secret.fromSecretsManager(passwords[account].secret),
    ]),
  );
}
