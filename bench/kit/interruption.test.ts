import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the end of the npx or pnpm that started a program interrupts it", async () => {
  const program = `
    import { interruption } from "${join(import.meta.dirname, "interruption.ts")}";
    const stay = setTimeout(() => undefined, 60_000);
    const signal = interruption(() => clearTimeout(stay));
    signal.addEventListener("abort", () => console.log(signal.reason.message));
    console.log("runs");`;
  // As npm does: a shell that waits for its child and forwards no signal.
  const launcher = spawn("sh", ["-c", `"${process.execPath}" --input-type=module --eval '${program}'; true`]);
  let output = "";
  launcher.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await expect.poll(() => output).toBe("runs\n");
  launcher.kill("SIGTERM");
  await expect.poll(() => output).toBe("runs\ninterrupted by the end of its launcher\n");
});
