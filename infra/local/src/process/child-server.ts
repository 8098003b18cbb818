import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastLines } from "./last-lines.ts";
import { runCommand } from "./run-command.ts";
import type { ServerUser } from "./server-user.ts";
import { ServiceError } from "./service-error.ts";
import type { Server, StopOptions } from "../services/services.ts";
import { until } from "./until.ts";
import type { Workshop } from "../servers/context.ts";

export interface ServerPlan {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly port: number;
  /** Whom it runs as; absent: as we do. The paths are given to the user at every start, with all that is in them. */
  readonly user?: { readonly as: ServerUser; readonly owns: readonly string[] } | undefined;
  /** True once the server really serves. Asked again and again, at every start. */
  readonly ready: () => Promise<boolean>;
}

/** Where a server lives: its logs under `log/` and pid files under `run/`, which exist; what it finds in its environment. */
export type ServerHome = Pick<Workshop, "directory" | "environment" | "say" | "signal">;

const READY_WITHIN_MS = 120_000;
// More than the 20 s after which an app gives up what is left of its work and ends by itself.
const END_WITHIN_MS = 25_000;

/**
 * One server process of ours. It leads its own process group, so that Ctrl-C in a terminal does not reach it before the apps
 * that use it have drained. Its pid lies in `<directory>/run`, so that a later launcher can end it if we are killed.
 */
export class ChildServer implements Server {
  readonly name: string;
  readonly port: number;
  readonly logFile: string;
  readonly #plan: ServerPlan;
  readonly #home: ServerHome;
  readonly #pidFile: string;
  #child: ChildProcess | undefined;
  #endExpected = false;
  #startedBefore = false;

  constructor(plan: ServerPlan, home: ServerHome) {
    this.name = plan.name;
    this.port = plan.port;
    this.logFile = join(home.directory, "log", `${plan.name}.log`);
    this.#plan = plan;
    this.#home = home;
    this.#pidFile = join(home.directory, "run", `${plan.name}.pid`);
  }

  get pid(): number | undefined {
    return isRunning(this.#child) ? this.#child?.pid : undefined;
  }

  kill(signal: NodeJS.Signals): void {
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") this.#endExpected = true;
    this.#send(signal, "process");
  }

  async start(): Promise<void> {
    if (!(await this.#ended())) throw new ServiceError("server-failed", `${this.name} still runs: kill it first.`);
    await this.#giveToUser();
    this.#spawn();
    const beganAt = Date.now();
    const serves = await until(async () => !isRunning(this.#child) || this.#plan.ready(), {
      withinMs: READY_WITHIN_MS,
      signal: this.#home.signal,
    });
    if (!isRunning(this.#child)) throw await this.#failure("ended while it was starting");
    if (!serves) throw await this.#failure(`does not answer after ${READY_WITHIN_MS / 1000} s`);
    this.#endExpected = false;
    if (this.#startedBefore) return;
    this.#startedBefore = true;
    this.#home.say(`${this.name} serves on port ${this.port} (${((Date.now() - beganAt) / 1000).toFixed(1)} s)`);
  }

  async stop({ atOnce = false }: StopOptions = {}): Promise<number | undefined> {
    this.#endExpected = true;
    if (!atOnce) {
      this.kill("SIGTERM");
      this.kill("SIGCONT"); // one that a fault drill has stopped takes SIGTERM only when it runs again
    }
    if (atOnce || !(await this.#ended())) {
      this.#send("SIGKILL", "group");
      await this.#ended();
    }
    return this.#child?.exitCode ?? undefined;
  }

  async #giveToUser(): Promise<void> {
    const { user } = this.#plan;
    if (user === undefined || user.owns.length === 0) return;
    const { uid, gid } = user.as;
    const { environment } = this.#home;
    const { exitCode, errors } = await runCommand("chown", ["-R", `${uid}:${gid}`, ...user.owns], { environment });
    if (exitCode !== 0) throw new ServiceError("server-failed", `${this.name}: chown: ${errors.trim()}`);
  }

  #spawn(): void {
    const { environment, signal, directory } = this.#home;
    signal.throwIfAborted();
    this.#endExpected = true; // until it serves: start() reports its end
    const log = openSync(this.logFile, this.#startedBefore ? "a" : "w", 0o600);
    const child = spawn(this.#plan.program, this.#plan.args, {
      cwd: directory,
      ...(this.#plan.user && { uid: this.#plan.user.as.uid, gid: this.#plan.user.as.gid }),
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
    const pid = this.pid;
    if (pid === undefined || pid <= 1) return;
    process.kill(to === "group" ? -pid : pid, signal);
  }

  #ended(): Promise<boolean> {
    return until(async () => !isRunning(this.#child), { withinMs: END_WITHIN_MS, everyMs: 20 });
  }

  async #failure(what: string): Promise<ServiceError> {
    return new ServiceError(
      "server-failed",
      `${this.name} ${what}. The end of its log, ${this.logFile}:\n${await lastLines(this.logFile)}`,
    );
  }
}

function isRunning(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
