import { Duration, RemovalPolicy, SecretValue } from "aws-cdk-lib";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import * as rds from "aws-cdk-lib/aws-rds";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { serverPorts, type Place } from "../network/add-network.ts";
import { sizes, system } from "../sizes.ts";
import { addLogGroup } from "../watch/metrics-agent.ts";
import { type Passwords, userName, type Account } from "./add-accounts.ts";
import { readFileSync } from "node:fs";
import * as elasticache from "aws-cdk-lib/aws-elasticache";
import { namespace } from "../apps/app-settings.ts";

export const databaseName = "tally";

/** The first user of the cluster, who creates the accounts. It is not one of them. */
export const masterUser = "administrator";

const exportedLogs = ["error", "slowquery"] as const;

export interface ServerParts extends Place {
  readonly passwords: Passwords;
}

export type Database = ReturnType<typeof addDatabase>;

/** Aurora MySQL 3 with writer and reader endpoints, encrypted, TLS only, 7 days of backups. A snapshot is left when the
 * stack is deleted. */
export function addDatabase(scope: Construct, { vpc, securityGroup, passwords }: ServerParts) {
  const inside = new Construct(scope, "Database");
  const { instance, readers } = sizes.database;
  const settings = {
    instanceType: new ec2.InstanceType(instance),
    caCertificate: rds.CaCertificate.RDS_CA_RSA2048_G1,
    autoMinorVersionUpgrade: false,
    publiclyAccessible: false,
  };
  const cluster = new rds.DatabaseCluster(inside, "Aurora", {
    clusterIdentifier: system,
    // 3.10 has long-term support. The image of the accounts task has a client of 8.4, which speaks to it.
    engine: rds.DatabaseClusterEngine.auroraMysql({ version: rds.AuroraMysqlEngineVersion.VER_3_10_4 }),
    writer: rds.ClusterInstance.provisioned("Instance1", settings),
    // Promotion tier 1: a reader of the same size takes over within the promotion tiers of the writer.
    readers: Array.from({ length: readers }, (_, index) =>
      rds.ClusterInstance.provisioned(`Instance${index + 2}`, { ...settings, promotionTier: 1 }),
    ),
    credentials: rds.Credentials.fromPassword(masterUser, SecretValue.unsafePlainText(passwords.admin.text)),
    defaultDatabaseName: databaseName,
    vpc,
    vpcSubnets: { subnetType: ec2.SubnetType.PRIVATE_ISOLATED },
    securityGroups: [securityGroup],
    storageEncrypted: true,
    backup: { retention: Duration.days(7) },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.SNAPSHOT,
    cloudwatchLogsExports: [...exportedLogs],
    parameters: {
      require_secure_transport: "ON",
      transaction_isolation: "READ-COMMITTED",
      character_set_server: "utf8mb4",
      slow_query_log: "1",
      long_query_time: "1",
    },
  });
  acknowledge(cluster, {
    RDS6: "the apps keep pools of connections with passwords from Secrets Manager; an IAM token is valid for 15 minutes",
    RDS11: "security groups protect the port; another number does not",
    RDS14: "backups restore to any second; to backtrack in place would lose events that were acknowledged after it",
  });
  // Aurora would create these groups without an end of retention.
  for (const log of exportedLogs) {
    cluster.node.addDependency(addLogGroup(inside, `Log-${log}`, `/aws/rds/cluster/${system}/${log}`));
  }
  return {
    cluster,
    /** TLS is required and verified. */
    url(endpoint: "write" | "read", user: string, password: string) {
      const { hostname } = endpoint === "write" ? cluster.clusterEndpoint : cluster.clusterReadEndpoint;
      return `mysql://${user}:${password}@${hostname}:${serverPorts.database}/${databaseName}?ssl-mode=VERIFY_IDENTITY`;
    },
  };
}

// What REDIS_URL begins with for a cluster over TLS.
const scheme = "rediss+cluster";
const usersFile = new URL("../../../redis/users.conf", import.meta.url);
const cacheAccounts = ["admin", "maintenance", "writer", "ranker", "gateway"] as const satisfies readonly Account[];

export type Cache = ReturnType<typeof addCache>;

/** ElastiCache for Valkey in cluster mode: TLS, the accounts of infra/redis/users.conf, a replica in the other zone for
 * each master. */
export function addCache(scope: Construct, { vpc, securityGroup, passwords }: ServerParts) {
  const inside = new Construct(scope, "Cache");
  const { node, nodeGroups } = sizes.cache;
  const file = readFileSync(usersFile, "utf8");
  const users = cacheAccounts.map(
    (account) =>
      new elasticache.CfnUser(inside, `User-${account}`, {
        engine: "valkey",
        userId: `${system}-${account}`,
        userName: userName(account),
        accessString: accessString(file, userName(account)),
        authenticationMode: { Type: "password", Passwords: [passwords[account].text] },
      }),
  );
  const userGroup = new elasticache.CfnUserGroup(inside, "Users", {
    engine: "valkey",
    userGroupId: system,
    userIds: users.map((user) => user.ref),
  });
  const parameters = new elasticache.CfnParameterGroup(inside, "Parameters", {
    cacheParameterGroupFamily: "valkey8",
    description: "tally: settings that it relies on (docs/servers.md)",
    properties: {
      "cluster-enabled": "yes",
      "maxmemory-policy": "noeviction",
      "zset-max-listpack-entries": "512",
      "hash-max-listpack-entries": "64",
    },
  });
  const subnets = new elasticache.CfnSubnetGroup(inside, "Subnets", {
    description: "tally: networks of the servers",
    subnetIds: vpc.selectSubnets({ subnetType: ec2.SubnetType.PRIVATE_ISOLATED }).subnetIds,
  });
  const group = new elasticache.CfnReplicationGroup(inside, "Valkey", {
    replicationGroupId: system,
    replicationGroupDescription: "tally: rankings, idempotency keys, rate limits, heartbeats",
    engine: "valkey",
    engineVersion: "8.1",
    cacheNodeType: node,
    cacheParameterGroupName: parameters.ref,
    cacheSubnetGroupName: subnets.ref,
    securityGroupIds: [securityGroup.securityGroupId],
    port: serverPorts.cache,
    clusterMode: "enabled",
    numNodeGroups: nodeGroups,
    replicasPerNodeGroup: 1,
    automaticFailoverEnabled: true,
    multiAzEnabled: true,
    atRestEncryptionEnabled: true,
    transitEncryptionEnabled: true,
    transitEncryptionMode: "required",
    userGroupIds: [userGroup.ref],
    // A restored snapshot saves a rebuild from the rows; the ranker applies again what it lacks.
    snapshotRetentionLimit: 1,
    autoMinorVersionUpgrade: false,
    logDeliveryConfigurations: (["slow-log", "engine-log"] as const).map((logType) => ({
      logType,
      logFormat: "json",
      destinationType: "cloudwatch-logs",
      destinationDetails: { cloudWatchLogsDetails: { logGroup: addLogGroup(inside, logType).logGroupName } },
    })),
  });
  acknowledge(group, { AEC6: "each app has its own user and rights (UserGroupIds), which replace the one token" });
  return {
    /** The URL of the configuration endpoint, which leads to any node that responds. */
    url: (user: string, password: string) =>
      `${scheme}://${user}:${password}@${group.attrConfigurationEndPointAddress}:${serverPorts.cache}`,
    /** Their names in CloudWatch. */
    nodes: Array.from({ length: nodeGroups }, (_, index) => String(index + 1).padStart(4, "0")).flatMap((number) => [
      `${system}-${number}-001`,
      `${system}-${number}-002`,
    ]),
  };
}

/** The rights of a user in users.conf, without its name and password, which ElastiCache takes separately. Throws for an
 * unknown user. */
function accessString(file: string, user: string): string {
  const line = file.split("\n").find((text) => text.startsWith(`user ${user} `));
  if (line === undefined) throw new Error(`infra/redis/users.conf: expected a line "user ${user} …"`);
  const [, , ...words] = line.replaceAll("{{namespace}}", namespace).split(" ");
  return words.filter((word) => !word.startsWith(">")).join(" ");
}
