import { spawn } from "node:child_process";

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
  readonly signal?: AbortSignal;
  /** Takes each line of its output as it comes. */
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end. Never throws: an abort, a time-out and a missing program are results without an exit code. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: options.environment,
      ...(options.signal && { signal: options.signal }),
      ...(options.timeoutMs !== undefined && { timeout: options.timeoutMs, killSignal: "SIGKILL" as const }),
    });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (options.onLine) for (const line of text.split("\n")) if (line.trim()) options.onLine(line.trim());
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.once("error", (error) => resolve({ exitCode: null, output, errors: errors + error.message }));
    child.once("close", (exitCode) => resolve({ exitCode, output, errors }));
    // A command that ends without reading its input must not end us: its exit code tells.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}
