import { watch } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import type { AppName, Apps } from "../start-apps.ts";

interface KeepRunningOptions {
  readonly apps: Pick<Apps, AppName | "migrate">;
  readonly say: (line: string) => void;
  /** Aborted when the apps stop: from then on nothing is started. */
  readonly signal: AbortSignal;
  /** The checkout whose changes restart apps. Absent: changes have no effect. */
  readonly watchedRoot?: string | undefined;
}

const appNames = ["gateway", "writer", "ranker"] as const;
const checkEveryMs = 250;
// Editors and git write several files: restart after the last one.
const quietMs = 200;
const sourceFile = /^[\w-]+\/(src|migrations)\/.*(?<!\.test|\.fixture)\.(ts|sql)$/;

/** Restarts ended apps; with `watchedRoot` also those whose files change, after a new migration is applied. */
export function keepRunning({ apps, say, signal, watchedRoot }: KeepRunningOptions): void {
  const starting = new Set<AppName>();
  const changed = new Set<AppName>();
  const waiting = new Set<AppName>();
  let changedAt = 0;
  let newMigration = false;
  let migrated = Promise.resolve();

  const migrate = async (): Promise<void> => {
    newMigration = false;
    await apps.migrate().catch((error: unknown) => {
      newMigration = true; // the next restart tries again
      throw error;
    });
  };
  const start = async (app: AppName): Promise<void> => {
    const restart = changed.delete(app);
    starting.add(app);
    try {
      say(`  starting ${app} again`);
      if (restart) {
        if (newMigration) migrated = migrate();
        await migrated;
        await apps[app].stop();
      }
      await apps[app].start();
      waiting.delete(app);
      if (restart) say(`  ${app} runs the changed code`);
    } catch (error) {
      if (signal.aborted) return;
      say(reasonOf(error));
      if (watchedRoot === undefined) return;
      waiting.add(app);
      say(`  ${app} does not run: waiting for the next change of its code`);
    } finally {
      starting.delete(app);
    }
  };
  const timer = setInterval(() => {
    const quiet = Date.now() - changedAt >= quietMs;
    for (const app of appNames) {
      const ended = apps[app].pid === undefined && !waiting.has(app);
      if (!starting.has(app) && (changed.has(app) ? quiet : ended)) void start(app);
    }
  }, checkEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer));
  if (watchedRoot === undefined) return;

  for (const folder of ["apps", "packages"]) {
    const watcher = watch(join(watchedRoot, folder), { recursive: true, ignore: /node_modules/, signal });
    watcher.on("change", (_, name) => {
      const file = String(name);
      if (!sourceFile.test(file)) return;
      changedAt = Date.now();
      newMigration ||= file.endsWith(".sql");
      for (const app of appNames) if (folder === "packages" || file.startsWith(`${app}/`)) changed.add(app);
    });
  }
}
