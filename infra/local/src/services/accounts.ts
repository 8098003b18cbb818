import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Addresses } from "./services.ts";
import type { Passwords } from "../servers/context.ts";

/** Who uses the servers beside the administrator `tally`: each has its own accounts, with the privileges that it needs. */
export type Role = "gateway" | "writer" | "ranker" | "maintenance";

/** The addresses of each role, with the role's own user and password in them. */
export type Accounts = Readonly<Record<Role, Addresses>>;

/** Files of this folder say what each account may do; Docker Compose uses the same. */
const templates = join(import.meta.dirname, "..", "..", "..");

/** A template such as `redis/users.conf` with its words in double braces filled in. Throws for a word without a value. */
export async function filledTemplate(name: string, values: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(templates, name), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => {
    const value = values[word];
    if (value === undefined) throw new TypeError(`${name}: no value for ${word}`);
    return value;
  });
}

/** The words of the roles' passwords in a template. */
export function rolePasswords({ gateway, writer, ranker, maintenance }: Passwords): Readonly<Record<Role, string>> {
  return { gateway, writer, ranker, maintenance };
}

/** Addresses of servers on this machine for the administrator, and for each role. `amqp` has one port for each node. */
export function addressesOf(
  passwords: Passwords,
  database: string,
  ports: {
    readonly amqp: readonly number[];
    readonly primary: number;
    readonly replica: number;
    readonly redis: number;
  },
): { readonly addresses: Addresses; readonly accounts: Accounts } {
  const at = (user: string, own: { rabbitmq: string; database: string; redis: string }): Addresses => ({
    amqpUrl: ports.amqp.map((port) => `amqp://${user}:${own.rabbitmq}@127.0.0.1:${port}`).join(","),
    databaseWriteUrl: `mysql://${user}:${own.database}@127.0.0.1:${ports.primary}/${database}`,
    databaseReadUrl: `mysql://${user}:${own.database}@127.0.0.1:${ports.replica}/${database}`,
    redisUrl: `redis://${user}:${own.redis}@127.0.0.1:${ports.redis}`,
  });
  const ofRole = (role: Role): Addresses => {
    const password = passwords[role];
    return at(`tally_${role}`, { rabbitmq: password, database: password, redis: password });
  };
  return {
    addresses: at("tally", passwords),
    accounts: {
      gateway: ofRole("gateway"),
      writer: ofRole("writer"),
      ranker: ofRole("ranker"),
      maintenance: ofRole("maintenance"),
    },
  };
}
