import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ChildServer } from "./child-server.ts";
import { freePorts } from "./free-ports.ts";
import { runCommand } from "./run-command.ts";
import { ServiceError } from "./service-error.ts";
import type { Addresses, Server } from "./services.ts";
import { directoryId } from "./workshop.ts";

export interface AppsOptions {
  /** The checkout whose apps are run. */
  readonly root: string;
  /** Where their logs lie, under `log/`. */
  readonly directory: string;
  readonly addresses: Addresses;
  /** The gateway's port; 0 takes a free one. */
  readonly port: number;
  /** What else the apps find in their environment. */
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** tally itself, each app a process of its own. */
export interface Apps {
  /** Where the gateway answers, without a slash at the end. */
  readonly url: string;
  readonly gateway: Server;
  readonly writer: Server;
  readonly ranker: Server;
  /** Stops the apps in the order of an event's way, so that each finishes what the one before has sent. */
  stop(): Promise<void>;
}

/** Creates or updates the tables, then starts gateway, writer and ranker; resolves when all three are ready. */
export async function startApps(options: AppsOptions): Promise<Apps> {
  const { root, directory, addresses, say } = options;
  await mkdir(join(directory, "log"), { recursive: true });
  await mkdir(join(directory, "run"), { recursive: true });
  const [free = 0, writerHealth = 0, rankerHealth = 0] = await freePorts(3);
  const port = options.port === 0 ? free : options.port;
  const environment: NodeJS.ProcessEnv = {
    ...options.environment,
    AMQP_URL: addresses.amqpUrl,
    DATABASE_WRITE_URL: addresses.databaseWriteUrl,
    DATABASE_READ_URL: addresses.databaseReadUrl,
    REDIS_URL: addresses.redisUrl,
    PORT: String(port),
    HOST: options.environment["HOST"] ?? "127.0.0.1",
    WRITER_HEALTH_PORT: String(writerHealth),
    WRITER_HEALTH_HOST: "127.0.0.1",
    RANKER_HEALTH_PORT: String(rankerHealth),
    RANKER_HEALTH_HOST: "127.0.0.1",
  };
  await migrateTables(root, environment);

  const workshop = {
    directory,
    id: directoryId(directory),
    passwords: { rabbitmq: "", database: "", databaseRoot: "", databaseReplication: "" },
    socketDirectory: directory,
    environment,
    say,
    signal: options.signal ?? new AbortController().signal,
  };
  const app = (name: string, healthPort: number): ChildServer =>
    new ChildServer(
      {
        name,
        program: process.execPath,
        // Left alone, V8 lets a busy app grow to 300 MB and more, most of it garbage: a young generation of 128 MB, and an old
        // one of three times what lives. So bounded, gateway and writer stay at 200 MB for the same CPU (docs/performance.md).
        args: ["--max-semi-space-size=32", "--heap-growing-percent=100", join(root, "apps", name, "src", "main.ts")],
        port: healthPort,
        ready: () => isReady(healthPort),
      },
      workshop,
    );
  const gateway = app("gateway", port);
  const writer = app("writer", writerHealth);
  const ranker = app("ranker", rankerHealth);
  const stop = async (): Promise<void> => {
    for (const one of [gateway, writer, ranker]) await one.stop({ atOnce: false });
  };
  const starts = await Promise.allSettled([gateway.start(), writer.start(), ranker.start()]);
  const failure = starts.find((start) => start.status === "rejected");
  if (failure) {
    await stop();
    throw failure.reason;
  }
  return { url: `http://127.0.0.1:${port}`, gateway, writer, ranker, stop };
}

async function migrateTables(root: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const main = join(root, "apps", "admin", "src", "main.ts");
  const { exitCode, output, errors } = await runCommand(process.execPath, [main, "migrate"], { environment });
  if (exitCode !== 0) throw new ServiceError("server-failed", `The tables cannot be made:\n${output}${errors}`);
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}
