import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Image } from "./build-image.ts";
import { atEnd } from "../kit/at-end.ts";

/** A process of an image. */
export interface Container {
  readonly pid: number;
  /** What it has written to stdout and stderr so far. */
  output(): string;
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

const script = join(import.meta.dirname, "container.sh");
const isRoot = process.getuid?.() === 0;
// An ordinary user is root in a namespace of users, with no more rights outside of it.
const unshare = ["--mount", ...(isRoot ? [] : ["--map-root-user"])];

/** Whether this user may create the namespaces that `startContainer` needs. */
export function canStartContainers(): boolean {
  try {
    execFileSync("unshare", [...unshare, "true"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

/** Starts the program of an image, or another one, with the image's user and a read-only root. It is killed at the end
 * of the test or file. */
export function startContainer(
  image: Image,
  environment: Readonly<Record<string, string>>,
  { command = [], entrypoint = image.entrypoint }: { command?: readonly string[]; entrypoint?: readonly string[] } = {},
): Container {
  const user = isRoot ? image.user : "";
  const args = [...unshare, "sh", script, image.root, user, image.workdir, ...entrypoint, ...command];
  const child = spawn("unshare", args, {
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...image.environment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "close").then(() => child.exitCode);
  atEnd(() => void child.kill("SIGKILL"));
  if (child.pid === undefined) throw new Error("unshare does not start");
  return { pid: child.pid, output: () => output, ended, kill: (signal) => void child.kill(signal) };
}
