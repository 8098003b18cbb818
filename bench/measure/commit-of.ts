import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";

/** The commit of a checkout, with a hash of its changes, if any. "unknown": not a git checkout. */
export function commitOf(root: string): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const commit = git("rev-parse", "--short", "HEAD");
    if (git("status", "--porcelain") === "") return commit;
    // Paths are relative to the folder of the checkout.
    const added = git("ls-files", "--others", "--exclude-standard", "-z").split("\0").filter(Boolean);
    const contents = added.length === 0 ? "" : git("hash-object", "--", ...added);
    const changes = createHash("sha256").update([git("diff", "HEAD", "--binary"), ...added, contents].join("\0"));
    return `${commit} with changes ${changes.digest("hex").slice(0, 7)}`;
  } catch {
    return "unknown";
  }
}
