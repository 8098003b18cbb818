import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";

// The accounts of infra/mysql/accounts.sql, infra/rabbitmq/definitions.json and infra/redis/users.conf, with the words
// for their passwords there.
export const accounts = ["admin", "maintenance", "writer", "ranker", "gateway", "replication"] as const;
export type Account = (typeof accounts)[number];

/** Why secrets are not rotated by a schedule. */
export const noRotation =
  "a password changes on server and apps together, by hand: a rotation by schedule would cut off the apps that started before";

export type Passwords = ReturnType<typeof addPasswords>;

export function userName(account: Account): string {
  return account === "admin" ? "tally" : `tally_${account}`;
}

/** One password for each account, the same on all servers. Letters and digits: safe in URLs, SQL and JSON. */
export function addPasswords(scope: Construct) {
  const inside = new Construct(scope, "Passwords");
  acknowledge(inside, { SMG4: noRotation });
  const password = (account: Account) => {
    const secret = new Secret(inside, account, {
      description: `tally: password of ${userName(account)} on database, broker and Valkey`,
      generateSecretString: { passwordLength: 32, excludePunctuation: true },
    });
    // A reference that CloudFormation resolves at deployment: no template and no assembly contains the password.
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
