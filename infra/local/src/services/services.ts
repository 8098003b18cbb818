import type { Accounts } from "./accounts.ts";
import type { Operator } from "./operator.ts";

export interface StartOptions {
  /** Where data, logs, passwords and pid files live, e.g. `<root>/.tally/dev`. Made when missing. */
  readonly directory: string;
  /** The database to create, e.g. `tally`; the user may also make databases whose names begin with it. Letters, digits, `_`. */
  readonly database: string;
  /** True: the next start finds the data again. False: `stop()` deletes the data, and the directory of private servers. */
  readonly keepData: boolean;
  /** Takes one line of progress for a person. */
  readonly say: (line: string) => void;
  /** Default `process.env`. Addresses found here win over starting anything. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Default `auto`: Docker Compose when an engine answers. */
  readonly docker?: "auto" | "never";
  /**
   * Default 1. More: so many nodes of RabbitMQ in one cluster, each to be killed and started again by itself. Only private servers
   * can; an engine of Docker is not asked then. Of a directory that keeps its data always the same.
   */
  readonly brokers?: number;
  /** Lines for the private servers' configurations, e.g. for further listeners. */
  readonly configuration?: MoreConfiguration;
  /** The NAMESPACE whose queues and keys the accounts are for; letters, digits, `_` and `-`. Default, and for another: any. */
  readonly namespace?: string;
}

/** Added to what the launcher writes itself. */
export interface MoreConfiguration {
  readonly redis: readonly string[];
  readonly rabbitmq: readonly string[];
  /** Options of the command line, of primary and replica. */
  readonly database: readonly string[];
}

/** Where the services answer, as URLs with user and password. */
export interface Addresses {
  /** Of a cluster: one for each node, with commas between. */
  readonly amqpUrl: string;
  readonly databaseWriteUrl: string;
  /** The replica: it follows the write side with a small delay and refuses writes. */
  readonly databaseReadUrl: string;
  readonly redisUrl: string;
}

export interface StopOptions {
  /** True: SIGKILL at once, to it and all that it has started. */
  readonly atOnce?: boolean;
}

/** One private server process, in the hands of a fault drill. */
export interface Server {
  readonly name: string;
  /** Of the current process; changes with each `start()`. Undefined while none runs. */
  readonly pid: number | undefined;
  readonly port: number;
  readonly logFile: string;
  /** Sends a signal to the process; does not wait for its end. Does nothing while none runs. */
  kill(signal: NodeJS.Signals): void;
  /** Waits for the end of a killed process, then starts again on the same port and data. Resolves once it serves. */
  start(): Promise<void>;
  /**
   * Ends the process by SIGTERM, after 25 s by SIGKILL; resolves when it has ended, with its exit code, undefined when a signal
   * ended it. It may be started again.
   */
  stop(options?: StopOptions): Promise<number | undefined>;
}

export interface Services {
  /** Of the administrator, who may do all. */
  readonly addresses: Addresses;
  /** Of each app, and of `pnpm tally`: what each needs and no more. The same as `addresses` when these were given. */
  readonly accounts: Accounts;
  readonly source: "docker" | "environment" | "private";
  /** `rabbitmq` (of a cluster `rabbitmq-1`, `rabbitmq-2`, …), `database-primary`, `database-replica`, `redis` when private, else empty. */
  readonly servers: readonly Server[];
  /** Only of private servers. */
  readonly operator?: Operator;
  /** Stops all that was started, and nothing else. May be called again. */
  stop(): Promise<void>;
}
