import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A process of an app that need not become ready. It is killed when the test ends. */
export interface AppProcess {
  /** What it has written to stdout and stderr so far. */
  output(): string;
  /** Its exit code, once it has ended. */
  ended(): Promise<number | null>;
  /** Asks it to stop; gives its exit code. */
  stop(): Promise<number | null>;
}

const apps = join(import.meta.dirname, "..", "apps");

/** Starts an app, or with `admin` the command `tally`, with nothing in its environment but what is given. */
export function startApp(app: string, environment: NodeJS.ProcessEnv, args: readonly string[] = []): AppProcess {
  const child = spawn(process.execPath, [join(apps, app, "src", "main.ts"), ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (text: string): void => void (output += text);
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  const closed = once(child, "close");
  const ended = async (): Promise<number | null> => {
    await closed;
    return child.exitCode;
  };
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    output: () => output,
    ended,
    stop() {
      child.kill("SIGTERM");
      return ended();
    },
  };
}
