import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Image } from "./build-image.ts";
import { startProcess } from "../kit/programs.ts";

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
) {
  const user = isRoot ? image.user : "";
  const args = [...unshare, "sh", script, image.root, user, image.workdir, ...entrypoint, ...command];
  const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return startProcess("unshare", args, { PATH, ...image.environment, ...environment });
}
