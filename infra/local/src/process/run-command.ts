import { type ChildProcess, spawn } from "node:child_process";

export interface CommandResult {
  /** Null when a signal ended it, or when it could not be started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface CommandOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Kills the command and all processes that it has started, on abort. */
  readonly signal?: AbortSignal;
  /** Called with each line of its output when it arrives. */
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end, regardless of Ctrl-C. Never throws: after an abort, a timeout or a missing program there is no exit code. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const { signal } = options;
    const child = spawn(program, args, {
      env: options.environment,
      // Its own process group: Ctrl-C in a terminal does not reach it, and an abort ends what a script has started too.
      detached: true,
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" as const }),
    });
    const kill = (): void => void (isRunning(child) && process.kill(-child.pid, "SIGKILL"));
    signal?.addEventListener("abort", kill);
    if (signal?.aborted) kill();
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (options.onLine) for (const line of text.split("\n")) if (line.trim()) options.onLine(line.trim());
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.once("error", (error) => resolve({ exitCode: null, output, errors: errors + error.message }));
    child.once("close", (exitCode) => {
      signal?.removeEventListener("abort", kill);
      resolve({ exitCode, output, errors });
    });
    // A command that ends without reading its input causes EPIPE here. Its exit code shows whether it failed.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

/** Whether it was started and has not ended. */
export const isRunning = (child: ChildProcess | undefined): child is ChildProcess & { readonly pid: number } =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
