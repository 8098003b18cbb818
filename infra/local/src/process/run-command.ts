import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface CommandResult {
  /** Null when a signal ended it, or when it could not be started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface CommandOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Then, and on abort, the command and all processes that it has started are killed. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called with each line of both outputs. */
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end, regardless of Ctrl-C. Never throws: after an abort, a timeout or a missing program there
 * is no exit code. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const { signal } = options;
    const child = spawn(program, args, {
      env: options.environment,
      // Its own process group: Ctrl-C in a terminal does not reach it, and a kill ends what a script has started too.
      detached: true,
    });
    const kill = (): void => void (isRunning(child) && process.kill(-child.pid, "SIGKILL"));
    signal?.addEventListener("abort", kill);
    if (signal?.aborted) kill();
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(kill, options.timeoutMs);
    let output = "";
    let errors = "";
    const onText = (text: string): void => {
      if (options.onLine) for (const line of text.split("\n")) if (line.trim()) options.onLine(line.trim());
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      onText(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
      onText(text);
    });
    child.once("error", (error) => resolve({ exitCode: null, output, errors: errors + error.message }));
    child.once("close", (exitCode) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", kill);
      resolve({ exitCode, output, errors });
    });
    // A command that ends without reading its input causes EPIPE here. Its exit code shows whether it failed.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

export const isRunning = (child: ChildProcess | undefined): child is ChildProcess & { readonly pid: number } =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

// An ordinary user's PATH often lacks the folders of servers.
const serverFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/sbin", "/opt/homebrew/bin"];

/** The PATH of the environment, with the folders where servers are installed. */
export function searchPath(environment: NodeJS.ProcessEnv): string {
  return [environment["PATH"] || "/usr/local/bin:/usr/bin:/bin", ...serverFolders].join(delimiter);
}

/** The full path of the first of these programs that is installed. `folders` are searched before the PATH. */
export function findProgram(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
  folders: readonly string[] = [],
): string | undefined {
  const places = [...folders, ...searchPath(environment).split(delimiter)];
  return names.flatMap((name) => places.map((place) => join(place, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Every way the launcher can fail, as a stable word for programs; the message is for people. */
export type ServiceErrorCode =
  | "directory-in-use"
  | "environment-incomplete"
  | "install-failed"
  | "interrupted"
  | "no-free-port"
  | "not-installed"
  | "not-possible"
  | "replica-broken"
  | "server-failed";

/** A failure of a service or of its environment, not a bug: print the message without the stack. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;

  constructor(code: ServiceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServiceError";
    this.code = code;
  }
}

/** What went wrong first, of an error of a disposal after another error. */
export function firstFailure(error: unknown): unknown {
  return error instanceof SuppressedError ? firstFailure(error.suppressed) : error;
}

/** The last 25 lines of an output, indented, for an error message. */
export function lastLines(output: string): string {
  const lines = output.trim().split("\n").slice(-25);
  return lines.map((line) => `    ${line}`).join("\n");
}
