import { readFileSync } from "node:fs";
import { SubnetType, type ISecurityGroup, type IVpc } from "aws-cdk-lib/aws-ec2";
import {
  CfnParameterGroup,
  CfnReplicationGroup,
  CfnSubnetGroup,
  CfnUser,
  CfnUserGroup,
} from "aws-cdk-lib/aws-elasticache";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { namespace } from "../apps/app-settings.ts";
import { serverPorts } from "../network/add-network.ts";
import type { Profile } from "../profiles.ts";
import { addLogGroup } from "../watch/add-log-group.ts";
import { userName, type Account, type Passwords } from "./add-accounts.ts";

// What REDIS_URL begins with for a cluster over TLS.
const scheme = "rediss+cluster";
const usersFile = new URL("../../../redis/users.conf", import.meta.url);
const cacheAccounts = ["admin", "maintenance", "writer", "ranker", "gateway"] as const satisfies readonly Account[];

interface CacheParts {
  readonly system: string;
  readonly profile: Profile;
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
  readonly passwords: Passwords;
}

export interface Cache {
  readonly group: CfnReplicationGroup;
  /** The URL of the configuration endpoint, which leads to any node that responds. */
  url(user: string, password: string): string;
  /** The names of the nodes in CloudWatch. */
  readonly nodes: readonly string[];
}

/** ElastiCache for Valkey in cluster mode: TLS, the accounts of infra/redis/users.conf, a replica in the other zone for each master. */
export function addCache(scope: Construct, { system, profile, vpc, securityGroup, passwords }: CacheParts): Cache {
  const inside = new Construct(scope, "Cache");
  const { node, nodeGroups } = profile.cache;
  const file = readFileSync(usersFile, "utf8");
  const users = cacheAccounts.map(
    (account) =>
      new CfnUser(inside, `User-${account}`, {
        engine: "valkey",
        userId: `${system}-${account}`,
        userName: userName(account),
        accessString: accessString(file, userName(account)),
        authenticationMode: { Type: "password", Passwords: [passwords[account].text] },
      }),
  );
  const userGroup = new CfnUserGroup(inside, "Users", {
    engine: "valkey",
    userGroupId: system,
    userIds: users.map((user) => user.ref),
  });
  const parameters = new CfnParameterGroup(inside, "Parameters", {
    cacheParameterGroupFamily: "valkey8",
    description: "tally: settings that it relies on (docs/servers.md)",
    properties: {
      "cluster-enabled": "yes",
      "maxmemory-policy": "noeviction",
      "zset-max-listpack-entries": "512",
      "hash-max-listpack-entries": "64",
    },
  });
  const subnets = new CfnSubnetGroup(inside, "Subnets", {
    description: "tally: networks of the servers",
    subnetIds: vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_ISOLATED }).subnetIds,
  });
  const group = new CfnReplicationGroup(inside, "Valkey", {
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
      destinationDetails: {
        cloudWatchLogsDetails: { logGroup: addLogGroup(inside, logType, profile.logDays).logGroupName },
      },
    })),
  });
  acknowledge(group, { AEC6: "each app has its own user and rights (UserGroupIds), which replace the one token" });
  return {
    group,
    url: (user, password) =>
      `${scheme}://${user}:${password}@${group.attrConfigurationEndPointAddress}:${serverPorts.cache}`,
    nodes: Array.from({ length: nodeGroups }, (_, index) => String(index + 1).padStart(4, "0")).flatMap((number) => [
      `${system}-${number}-001`,
      `${system}-${number}-002`,
    ]),
  };
}

/** The rights of a user in users.conf, without its name and password, which ElastiCache takes separately. Throws for an unknown user. */
export function accessString(file: string, user: string): string {
  const line = file.split("\n").find((text) => text.startsWith(`user ${user} `));
  if (line === undefined) throw new Error(`infra/redis/users.conf: expected a line "user ${user} …"`);
  const [, , ...words] = line.replaceAll("{{namespace}}", namespace).split(" ");
  return words.filter((word) => !word.startsWith(">")).join(" ");
}
