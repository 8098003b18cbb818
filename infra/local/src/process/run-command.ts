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
  /** Kills the command on abort, together with all that it has started. */
  readonly signal?: AbortSignal;
  /** Takes each line of its output as it comes. */
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end, Ctrl-C or not. Never throws: abort, time-out and a missing program give no exit code. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const { signal } = options;
    const child = spawn(program, args, {
      env: options.environment,
      // A group of its own: Ctrl-C in a terminal does not break it off, and an abort ends what a script has started too.
      detached: true,
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" as const }),
    });
    const kill = (): void => void (isLive(child) && process.kill(-child.pid, "SIGKILL"));
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
    // A command that ends without reading its input must not end us: its exit code tells.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

const isLive = (child: ChildProcess): child is ChildProcess & { readonly pid: number } =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;
