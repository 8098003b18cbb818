import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Container } from "./docker.ts";
import { isRunning, lastLines, ServiceError } from "./run-command.ts";
import { until, Waits } from "./until.ts";

/** One process of a private server or an app. Tests and fault drills kill, stop and start it. */
export type Server = Pick<ChildServer, "name" | "pid" | "port" | "logFile" | "kill" | "start" | "stop">;

export interface StopOptions {
  /** True: SIGKILL at once, to the process and all that it has started. */
  readonly atOnce?: boolean;
}

export interface ServerPlan {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly port: number;
  /** True once the server serves. Called repeatedly, at every start. */
  readonly ready: () => Promise<boolean>;
  readonly readyWithinMs?: number;
  /** For a server in a container: `program` runs as long as it does. */
  readonly container?: Container;
}

/** Where a server lives, and what it is started with. */
export interface ServerHome {
  /** Gets the folders `log` for logs and `run` for pid files. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Aborted when the start is interrupted. */
  readonly signal: AbortSignal;
  /** Has the server while it starts and while it stops. */
  readonly waits?: Waits | undefined;
}

// An app gives up the rest of its work after 20 s and exits.
const endWithinMs = 25_000;

/** One server process in its own process group, so Ctrl-C does not reach it. Its pid file is in `<directory>/run`. */
export class ChildServer {
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  readonly #plan: ServerPlan;
  readonly #home: ServerHome;
  readonly #pidFile: string;
  readonly #waits: Waits;
  #child: ChildProcess | undefined;
  #containerPid: number | undefined;
  #endExpected = false;
  #startedBefore = false;

  constructor(plan: ServerPlan, home: ServerHome) {
    this.name = plan.name;
    this.port = plan.port;
    this.logFile = join(home.directory, "log", `${plan.name}.log`);
    this.#plan = plan;
    this.#home = home;
    this.#waits = home.waits ?? new Waits();
    this.#pidFile = join(home.directory, "run", `${plan.name}.pid`);
  }

  /** The current process; changes with each `start()`. Undefined while none runs. */
  get pid(): number | undefined {
    return isRunning(this.#child) ? (this.#containerPid ?? this.#child.pid) : undefined;
  }

  /** Does not wait for its end. Does nothing while none runs. */
  kill(signal: NodeJS.Signals): void {
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") this.#endExpected = true;
    this.#send(signal, "process");
  }

  /** Waits for the end of a killed process, then starts it again on the same port and data. Resolves once it serves. */
  start(): Promise<void> {
    return this.#waits.during(this.name, () => this.#start());
  }

  /** SIGTERM, after 25 s SIGKILL. Resolves at the end with the exit code, or undefined after a signal. It can be
   * started again. */
  stop(options: StopOptions = {}): Promise<number | undefined> {
    return this.#waits.during(`${this.name} to stop`, () => this.#stop(options));
  }

  async #start(): Promise<void> {
    if (!(await this.#ended()))
      throw new ServiceError("server-failed", `${this.name} is still running: kill it first.`);
    this.#spawn();
    const { ready, readyWithinMs = 120_000 } = this.#plan;
    const beganAt = Date.now();
    const serves = await until(async () => !isRunning(this.#child) || ready(), {
      withinMs: readyWithinMs,
      signal: this.#home.signal,
    });
    if (!isRunning(this.#child)) throw await this.#failure("ended while it was starting");
    if (!serves) throw await this.#failure(`is not ready after ${readyWithinMs / 1000} s`);
    this.#endExpected = false;
    this.#containerPid = await this.#plan.container?.pid();
    if (this.#startedBefore) return;
    this.#startedBefore = true;
    this.#home.say(`${this.name} serves on port ${this.port} (${((Date.now() - beganAt) / 1000).toFixed(1)} s)`);
  }

  async #stop({ atOnce = false }: StopOptions): Promise<number | undefined> {
    this.#endExpected = true;
    if (!atOnce) {
      this.kill("SIGTERM");
      this.kill("SIGCONT"); // a process that is stopped (SIGSTOP) handles SIGTERM only when it runs again
    }
    if (atOnce || !(await this.#ended())) {
      this.#send("SIGKILL", "group");
      await this.#ended();
    }
    return this.#child?.exitCode ?? undefined;
  }

  #spawn(): void {
    const { environment, signal, directory } = this.#home;
    signal.throwIfAborted();
    this.#endExpected = true; // until it serves: start() reports its end
    for (const file of [this.logFile, this.#pidFile]) mkdirSync(dirname(file), { recursive: true });
    const log = openSync(this.logFile, this.#startedBefore ? "a" : "w", 0o600);
    const child = spawn(this.#plan.program, this.#plan.args, {
      cwd: directory,
      env: { ...environment, ...this.#plan.environment },
      detached: true,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    child.once("error", () => undefined); // no pid: start() reports it
    child.once("exit", (code, by) => {
      rmSync(this.#pidFile, { force: true });
      if (!this.#endExpected) this.#home.say(`${this.name} ended (${by ?? `exit code ${code}`}), see ${this.logFile}`);
    });
    if (child.pid !== undefined) writeFileSync(this.#pidFile, String(child.pid));
    child.unref();
    this.#child = child;
  }

  #send(signal: NodeJS.Signals, to: "group" | "process"): void {
    const { pid } = this;
    if (pid === undefined || pid <= 1) return;
    if (this.#plan.container) return this.#plan.container.signal(signal);
    process.kill(to === "group" ? -pid : pid, signal);
  }

  #ended(): Promise<boolean> {
    return until(async () => !isRunning(this.#child), { withinMs: endWithinMs, everyMs: 20 });
  }

  async #failure(what: string): Promise<ServiceError> {
    const log = lastLines(await readFile(this.logFile, "utf8").catch(() => ""));
    return new ServiceError("server-failed", `${this.name} ${what}. The end of its log, ${this.logFile}:\n${log}`);
  }
}

/** Waits for the starts of servers. Returns what stops them, stage by stage. After a failure it stops them itself and
 * throws the first one. When this process exits without a stop, e.g. after an uncaught exception, it cannot wait, but
 * the servers still shut down cleanly. */
export async function runStages(
  stages: readonly (readonly ChildServer[])[],
  starts: readonly Promise<unknown>[],
  options?: StopOptions,
): Promise<() => Promise<void>> {
  const onExit = (): void => stages.flat().forEach((server) => server.kill("SIGTERM"));
  process.once("exit", onExit);
  const stop = async (): Promise<void> => {
    for (const stage of stages) await Promise.all(stage.map((server) => server.stop(options)));
    process.removeListener("exit", onExit);
  };
  // All of them: a server could still start after the stop.
  const ended = await Promise.allSettled(starts);
  const failure = ended.find((start) => start.status === "rejected");
  if (failure === undefined) return stop;
  await stop();
  throw failure.reason;
}
