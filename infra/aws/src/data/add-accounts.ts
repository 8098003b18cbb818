import * as ecs from "aws-cdk-lib/aws-ecs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import { SecretValue } from "aws-cdk-lib";
import type { Broker } from "../broker/add-amazon-mq.ts";
import type { Cache, Database } from "./add-servers.ts";

// The accounts of infra/mysql/accounts.sql, infra/rabbitmq/definitions.json and infra/redis/users.conf, with the words
// for their passwords there.
export const accounts = ["admin", "maintenance", "writer", "ranker", "gateway", "replication"] as const;
export type Account = (typeof accounts)[number];

/** Why secrets are not rotated by a schedule. docs/deploy-aws.md has the steps. */
const noRotation =
  "a password changes on server and apps together, by hand: a rotation by schedule would cut off the apps that started before";

interface Password {
  readonly secret: Secret;
  /** A reference that CloudFormation resolves at deployment: no template and no assembly contains the password. */
  readonly text: string;
}

export type Passwords = Readonly<Record<Account, Password>>;

/** The name of an account on all servers. */
export function userName(account: Account): string {
  return account === "admin" ? "tally" : `tally_${account}`;
}

/** One password for each account, the same on all servers. Letters and digits: safe in URLs, SQL and JSON. */
export function addPasswords(scope: Construct): Passwords {
  const inside = new Construct(scope, "Passwords");
  acknowledge(inside, { SMG4: noRotation });
  const password = (account: Account): Password => {
    const secret = new Secret(inside, account, {
      description: `tally: password of ${userName(account)} on database, broker and Valkey`,
      generateSecretString: { passwordLength: 32, excludePunctuation: true },
    });
    return { secret, text: secret.secretValue.unsafeUnwrap() };
  };
  return {
    admin: password("admin"),
    maintenance: password("maintenance"),
    writer: password("writer"),
    ranker: password("ranker"),
    gateway: password("gateway"),
    replication: password("replication"),
  };
}

export interface Servers {
  readonly passwords: Passwords;
  readonly database: Database;
  readonly cache: Cache;
  readonly broker: Broker;
}

/** The addresses with an account's password as one secret: a JSON object with the names of the settings. CloudFormation
 * inserts the password. Returns the variables of a task that ECS reads from it. */
export function addSettings(scope: Construct, account: Account, servers: Servers) {
  const { passwords, database, cache, broker } = servers;
  const user = userName(account);
  const password = passwords[account].text;
  const values = {
    AMQP_URL: broker.url(user, password),
    DATABASE_WRITE_URL: database.url("write", user, password),
    DATABASE_READ_URL: database.url("read", user, password),
    REDIS_URL: cache.url(user, password),
  };
  const secret = new Secret(scope, `Settings-${account}`, {
    description: `tally: addresses of the servers for ${user}`,
    secretObjectValue: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, SecretValue.unsafePlainText(value)]),
    ),
  });
  acknowledge(secret, { SMG4: noRotation });
  return Object.fromEntries(Object.keys(values).map((name) => [name, ecs.Secret.fromSecretsManager(secret, name)]));
}
