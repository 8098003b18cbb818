import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until, type AppName } from "@tally/local";
import type { CrashPoint } from "./crash-points.ts";
import type { Sabotage } from "./sabotages.ts";

/** Sends orders to the drill's code inside the apps, see preload.ts. */
export interface Inside {
  /** Flags for node that load that code. */
  flags(app: AppName, processName: string): readonly string[];
  /** Kills a process at a crash point that it has passed `passes` times; resolves when it is killed. */
  crash(processName: string, point: CrashPoint, passes: number): Promise<void>;
  /** Ends any one thread of a process. */
  endThread(processName: string): Promise<void>;
}

// The loaded process may get little of a busy machine.
const executedWithinMs = 60_000;

export async function openInside(directory: string, sabotage: Sabotage | undefined): Promise<Inside> {
  await mkdir(directory, { recursive: true });

  async function order(processName: string, text: string): Promise<void> {
    const file = join(directory, processName);
    await rm(`${file}.done`, { force: true });
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, `${file}.order`);
    if (await until(async () => existsSync(`${file}.done`), { withinMs: executedWithinMs, everyMs: 10 })) return;
    await rm(`${file}.order`, { force: true });
    throw new Error(`${processName} did not reach "${text}" within ${executedWithinMs / 1000} s`);
  }

  return {
    flags(app, processName) {
      const preload = new URL("preload.ts", import.meta.url);
      preload.search = new URLSearchParams({
        directory,
        app,
        process: processName,
        ...(sabotage && { sabotage }),
      }).toString();
      return ["--import", preload.href];
    },
    crash: (processName, point, passes) => order(processName, `${point} ${passes}`),
    endThread: (processName) => order(processName, "thread"),
  };
}
