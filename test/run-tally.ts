import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestSystem } from "./start-system.ts";

const main = join(import.meta.dirname, "..", "apps", "admin", "src", "main.ts");

/** Runs `tally ...` on a system, as a process of its own. `more` are environment variables. */
export async function runTally(
  { namespace, addresses }: Pick<TestSystem, "namespace" | "addresses">,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<{ readonly exitCode: number; readonly output: string; readonly errors: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      PATH: process.env["PATH"],
      NAMESPACE: namespace,
      AMQP_URL: addresses.amqpUrl,
      DATABASE_WRITE_URL: addresses.databaseWriteUrl,
      DATABASE_READ_URL: addresses.databaseReadUrl,
      REDIS_URL: addresses.redisUrl,
      ...more,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { exitCode, output, errors };
}
