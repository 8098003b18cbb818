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
}

/** Where the services answer, as URLs with user and password. */
export interface Addresses {
  readonly amqpUrl: string;
  readonly databaseWriteUrl: string;
  /** The replica: it follows the write side with a small delay and refuses writes. */
  readonly databaseReadUrl: string;
  readonly redisUrl: string;
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
}

export interface Services {
  readonly addresses: Addresses;
  readonly source: "docker" | "environment" | "private";
  /** `rabbitmq`, `database-primary`, `database-replica`, `redis` when private, else empty. */
  readonly servers: readonly Server[];
  /** Stops all that was started, and nothing else. May be called again. */
  stop(): Promise<void>;
}
