import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ChildServer } from "../process/child-server.ts";
import { filledTemplate, rolePasswords } from "../services/accounts.ts";
import { redisAnswer } from "./redis-answer.ts";
import { serverUser } from "../process/server-user.ts";
import type { Workshop } from "./context.ts";

/** Where its data lies: `dump.rdb`. */
export const dataDirectory = (workshop: Workshop): string => join(workshop.directory, "redis");

/** A private Redis or Valkey, not started yet. Keeps its data in snapshots. `namespace`: of whose keys its accounts are for; default all. */
export async function redis(
  program: string,
  { port, namespace = "*" }: { readonly port: number; readonly namespace?: string | undefined },
  workshop: Workshop,
): Promise<ChildServer> {
  const data = dataDirectory(workshop);
  const configFile = join(workshop.directory, "redis.conf");
  await mkdir(data, { recursive: true });
  const { passwords } = workshop;
  const users = await filledTemplate("redis/users.conf", {
    ...rolePasswords(passwords),
    admin: passwords.redis,
    namespace,
  });
  await writeFile(
    configFile,
    [configuration(port, data), users, ...(workshop.configuration?.redis ?? []), ""].join("\n"),
    { mode: 0o600 },
  );
  const user = serverUser(["redis", "valkey"], program, workshop);
  return new ChildServer(
    {
      name: "redis",
      program,
      args: [configFile],
      // Boards are walked all over: with large pages Redis needs a tenth less CPU once they hold some million members.
      environment: { MALLOC_CONF: "thp:always" },
      port,
      user: user && { as: user, owns: [data, configFile] },
      // While it loads its file it answers -LOADING.
      ready: async () => (await redisAnswer({ port, password: passwords.redis }, "PING")).startsWith("+PONG"),
    },
    workshop,
  );
}

// The two zset limits make small boards take about a twentieth of the memory (108 to 5 bytes per member, measured).
// Hashes are those of large boards only, which packed would be searched from one end to the other.
// A snapshot and no log of every command: what a killed Redis has forgotten, boards and marks alike, the ranker's auditor
// applies again from the ledger. The log and its rewrites cost a quarter of the CPU that Redis needs for a purchase.
// set-proc-title: keep the command line, by which a later launcher knows its own leftovers.
const configuration = (port: number, data: string): string => `bind 127.0.0.1
port ${port}
dir ${JSON.stringify(data)}
daemonize no
disable-thp no
set-proc-title no
save 300 1
rdbcompression no
appendonly no
maxmemory-policy noeviction
zset-max-listpack-entries 512
zset-max-listpack-value 64
hash-max-listpack-entries 64
`;
