import { runStages } from "../process/child-server.ts";
import { ServiceError } from "../process/run-command.ts";
import { brokerResponds } from "../servers/rabbitmq.ts";
import { openRedis } from "../servers/redis.ts";
import { addressesOf } from "./addresses.ts";
import { openProject, type ContainerName } from "./compose-project.ts";
import type { HereOptions, Services } from "./services.ts";

/** Starts infra/compose.yaml. Throws `server-failed`, and leaves nothing running. */
export async function fromDocker(docker: string, options: HereOptions): Promise<Services> {
  const { database, keepData, say, signal, waits } = options;
  const { passwords, portOf, compose, execute, server, end } = await openProject(docker, options);
  const ports = { primary: portOf("database-primary"), replicas: [portOf("database-replica")] };
  const store = openRedis({ port: portOf("redis"), password: passwords.redis });
  const sqlAt = (name: ContainerName) => (text: string) => execute(name, ["bash", "-c", client], text);
  const sql = sqlAt("database-primary");
  const replicaSql = sqlAt("database-replica");
  const responds = (to: typeof sql) => (): Promise<boolean> => to("DO 0").then(...yesOrNo);
  const primary = server("database-primary", responds(sql));
  const others = [
    server("rabbitmq", () => brokerResponds(portOf("rabbitmq"))),
    server("database-replica", responds(replicaSql)),
    server("redis", () => store.responds()),
  ];

  say("Starting containers (docker compose; the first start fetches the images)");
  try {
    const up = await waits.during("the containers", () => compose("up", "--detach", "--wait", "--wait-timeout", "300"));
    signal.throwIfAborted();
    if (up.exitCode !== 0)
      throw new ServiceError(
        "server-failed",
        `Docker Compose cannot start the servers: ${up.errors.trim().split("\n").at(-1)}`,
      );
    // A volume of an earlier version lacks some accounts.
    await execute("database-primary", ["bash", "/tally/mysql/accounts.sh"]);
    const starts = [primary, ...others].map((one) => one.start());
    const stop = await runStages([others, [primary]], starts, { atOnce: !keepData });
    return {
      ...addressesOf(passwords, database, { ...ports, amqp: [portOf("rabbitmq")], redis: [portOf("redis")] }),
      source: "docker",
      operator: {
        sql,
        replicaSql,
        rabbitmqctl: (...args) => execute("rabbitmq", ["rabbitmqctl", ...args]),
        importDefinitions: (text) => execute("rabbitmq", ["rabbitmqctl", "import_definitions"], text),
        redis: (command) => store.command(command),
        async wipeRedis() {
          const wipe = ["--entrypoint", "rm", "redis", "-rf", "/data/appendonlydir"];
          const { exitCode, errors } = await compose("run", "--rm", "--no-deps", ...wipe);
          if (exitCode !== 0) throw new ServiceError("server-failed", `redis cannot be wiped: ${errors.trim()}`);
        },
      },
      servers: [primary, ...others],
      stop: () => stop().then(() => waits.during("the containers to stop", end)),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const yesOrNo = [() => true, () => false] as const;

// Over TCP: while the image prepares its data, the server listens only on its socket.
const client = "MYSQL_PWD=$(</run/secrets/root) exec mysql --host=127.0.0.1 --user=root --batch --skip-column-names";
