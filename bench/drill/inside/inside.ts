import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until, type AppName } from "@tally/local";
import type { CrashPoint } from "./crash-points.ts";
import type { Sabotage } from "./sabotages.ts";

// The loaded process may get little of a busy machine.
const executedWithinMs = 60_000;

export type Inside = Awaited<ReturnType<typeof openInside>>;

/** Sends orders to the drill's code inside the apps, see preload.ts. */
export async function openInside(directory: string, sabotage: Sabotage | undefined) {
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
    /** Flags for node that load that code. */
    flags(app: AppName, processName: string): readonly string[] {
      const parameters = new URLSearchParams({ directory, app, process: processName, ...(sabotage && { sabotage }) });
      return ["--import", new URL(`preload.ts?${parameters.toString()}`, import.meta.url).href];
    },
    /** Kills a process at a crash point that it has passed `passes` times; resolves when it is killed. */
    crash: (processName: string, point: CrashPoint, passes: number) => order(processName, `${point} ${passes}`),
    /** Sets the clock of all threads of a process to `ms` after the right time. */
    shiftClock: (processName: string, ms: number) => order(processName, `clock ${ms}`),
    /** Ends any one thread of a process. */
    endThread: (processName: string) => order(processName, "thread"),
  };
}
