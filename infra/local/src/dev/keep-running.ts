import { watch } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "@tally/runtime";
import type { Server } from "../process/child-server.ts";
import { appNames, type AppName, type Apps } from "../start-apps.ts";

interface KeepRunningOptions {
  readonly apps: Pick<Apps, AppName | "migrate">;
  readonly servers: readonly Pick<Server, "name" | "pid" | "start" | "stop">[];
  readonly say: (line: string) => void;
  /** Aborted when the apps stop: from then on nothing is started. */
  readonly signal: AbortSignal;
  /** The checkout whose changes restart apps. Absent: changes have no effect. */
  readonly watchedRoot?: string | undefined;
}

const checkEveryMs = 250;
const retryAfterMs = 5000;
// Editors and git write several files: restart after the last one.
const quietMs = 200;
const sourceFile = /^[\w-]+\/(src|migrations)\/.*(?<!\.test|\.fixture)\.(ts|sql)$/;

/** Restarts ended apps and servers; with `watchedRoot` also those whose files change, after new migrations. */
export function keepRunning({ apps, servers, say, signal, watchedRoot }: KeepRunningOptions): void {
  const processes = [...servers, ...appNames.map((name) => apps[name])];
  const starting = new Set<string>();
  const changed = new Set<string>();
  const waiting = new Set<string>();
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
  const start = async (server: (typeof processes)[number]): Promise<void> => {
    const { name } = server;
    const restart = changed.delete(name);
    starting.add(name);
    try {
      say(`  starting ${name} again`);
      if (restart) {
        if (newMigration) migrated = migrate();
        await migrated;
        await server.stop();
      }
      await server.start();
      waiting.delete(name);
      if (restart) say(`  ${name} runs the changed code`);
    } catch (error) {
      if (signal.aborted) return;
      say(reasonOf(error));
      waiting.add(name);
      if (watchedRoot === undefined || !appNames.some((app) => app === name))
        setTimeout(() => waiting.delete(name), retryAfterMs).unref();
      else say(`  ${name} does not run: waiting for the next change of its code`);
    } finally {
      starting.delete(name);
    }
  };
  const timer = setInterval(() => {
    const quiet = performance.now() - changedAt >= quietMs;
    for (const server of processes) {
      const { name, pid } = server;
      const ended = pid === undefined && !waiting.has(name);
      if (!starting.has(name) && (changed.has(name) ? quiet : ended)) void start(server);
    }
  }, checkEveryMs);
  signal.addEventListener("abort", () => clearInterval(timer));
  if (watchedRoot === undefined) return;

  for (const folder of ["apps", "packages"]) {
    const watcher = watch(join(watchedRoot, folder), { recursive: true, ignore: /node_modules/, signal });
    watcher.on("change", (_, name) => {
      const file = String(name);
      if (!sourceFile.test(file)) return;
      changedAt = performance.now();
      newMigration ||= file.endsWith(".sql");
      for (const app of appNames) if (folder === "packages" || file.startsWith(`${app}/`)) changed.add(app);
    });
  }
}
