import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test, vi } from "vitest";

test("a process that npx started detects the end of npx", async () => {
  const watching = `
    import { onLauncherGone } from "${join(import.meta.dirname, "processes.ts")}";
    const stay = setInterval(() => undefined, 1000);
    onLauncherGone(() => (console.log("gone"), clearInterval(stay)));
    console.log("watching");`;
  // As npm does: a shell that waits for its child and forwards no signal.
  const launcher = spawn("sh", ["-c", `"${process.execPath}" --input-type=module --eval '${watching}'; true`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  launcher.stdout.on("data", (data: Buffer) => (output += data.toString()));
  await vi.waitFor(() => expect(output).toContain("watching"), { timeout: 10_000 });
  launcher.kill("SIGTERM");
  await vi.waitFor(() => expect(output).toContain("gone"), { timeout: 10_000 });
});
