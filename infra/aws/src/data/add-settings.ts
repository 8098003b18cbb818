import { SecretValue } from "aws-cdk-lib";
import * as ecs from "aws-cdk-lib/aws-ecs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import type { Broker } from "../broker/add-amazon-mq.ts";
import { noRotation, userName, type Account, type Passwords } from "./add-accounts.ts";
import type { Cache, Database } from "./add-servers.ts";

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
