import { Duration, RemovalPolicy, SecretValue } from "aws-cdk-lib";
import { InstanceType, SubnetType, type ISecurityGroup, type IVpc } from "aws-cdk-lib/aws-ec2";
import {
  AuroraMysqlEngineVersion,
  CaCertificate,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
  DBClusterStorageType,
} from "aws-cdk-lib/aws-rds";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { serverPorts } from "../network/add-network.ts";
import type { Profile } from "../profiles.ts";
import { addLogGroup } from "../watch/add-log-group.ts";
import type { Passwords } from "./add-accounts.ts";

/** The database (schema) of tally. */
export const databaseName = "tally";

/** The first user of the cluster, who creates the accounts. It is not one of them. */
export const masterUser = "administrator";

const exportedLogs = ["error", "slowquery"] as const;

interface DatabaseParts {
  readonly system: string;
  readonly profile: Profile;
  readonly vpc: IVpc;
  readonly securityGroup: ISecurityGroup;
  readonly passwords: Passwords;
}

export interface Database {
  readonly cluster: DatabaseCluster;
  /** Of the write or the read endpoint. TLS is required and verified. */
  url(endpoint: "write" | "read", user: string, password: string): string;
}

/** Aurora MySQL 3 with writer and reader endpoints, encrypted, TLS only, 7 days of backups. A snapshot is left when the stack is deleted. */
export function addDatabase(
  scope: Construct,
  { system, profile, vpc, securityGroup, passwords }: DatabaseParts,
): Database {
  const inside = new Construct(scope, "Database");
  const { instance, readers, ioOptimized } = profile.database;
  const settings = {
    instanceType: new InstanceType(instance),
    caCertificate: CaCertificate.RDS_CA_RSA2048_G1,
    autoMinorVersionUpgrade: false,
    publiclyAccessible: false,
  };
  const cluster = new DatabaseCluster(inside, "Aurora", {
    clusterIdentifier: system,
    // 3.10 has long-term support. The image of the accounts task has a client of 8.4, which speaks to it.
    engine: DatabaseClusterEngine.auroraMysql({ version: AuroraMysqlEngineVersion.VER_3_10_4 }),
    writer: ClusterInstance.provisioned("Instance1", settings),
    // Promotion tier 1: a reader of the same size takes over within the promotion tiers of the writer.
    readers: Array.from({ length: readers }, (_, index) =>
      ClusterInstance.provisioned(`Instance${index + 2}`, { ...settings, promotionTier: 1 }),
    ),
    credentials: Credentials.fromPassword(masterUser, SecretValue.unsafePlainText(passwords.admin.text)),
    defaultDatabaseName: databaseName,
    vpc,
    vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
    securityGroups: [securityGroup],
    storageEncrypted: true,
    storageType: ioOptimized ? DBClusterStorageType.AURORA_IOPT1 : DBClusterStorageType.AURORA,
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
    cluster.node.addDependency(addLogGroup(inside, `Log-${log}`, profile.logDays, `/aws/rds/cluster/${system}/${log}`));
  }
  return {
    cluster,
    url(endpoint, user, password) {
      const { hostname } = endpoint === "write" ? cluster.clusterEndpoint : cluster.clusterReadEndpoint;
      return `mysql://${user}:${password}@${hostname}:${serverPorts.database}/${databaseName}?ssl-mode=VERIFY_IDENTITY`;
    },
  };
}
