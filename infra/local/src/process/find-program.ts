import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

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
