import { join } from "node:path";
import { environmentFile } from "./environment-file.ts";
import { onLauncherGone } from "../process/on-launcher-gone.ts";
import { addressVariables } from "../apps/run-tally.ts";
import { startApps, type Apps } from "../apps/start-apps.ts";
import { ServiceError } from "../process/service-error.ts";
import type { Server, Services } from "../services/services.ts";
import { startServices } from "../services/start-services.ts";

/*
 * `pnpm dev`: finds or starts the services, creates the tables, starts the apps, says where everything is, and stays until
 * Ctrl-C. An app that dies is started again.
 */

const root = join(import.meta.dirname, "..", "..", "..", "..");
const directory = join(root, ".tally", "dev");
// What `pnpm tally` finds its settings in while this runs.
const settings = environmentFile(join(directory, "environment"));
const restartEveryMs = 500;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

let services: Services | undefined;
let apps: Apps | undefined;
let watching: NodeJS.Timeout | undefined;
let stopping: Promise<void> | undefined;
const interrupted = new AbortController();

const interrupt = (): void => {
  interrupted.abort(new ServiceError("interrupted", "Interrupted while starting."));
  if (apps !== undefined) void stop(0);
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
onLauncherGone(interrupt);

try {
  say("tally: starting services (RabbitMQ, MySQL primary and replica, Redis)");
  services = await startServices({
    directory,
    database: "tally",
    keepData: true,
    namespace: process.env["NAMESPACE"] || "tally",
    say: (line) => say(`  ${line}`),
  });
  interrupted.signal.throwIfAborted();
  settings.remove(); // of a run that was killed
  say("tally: starting gateway, writer and ranker");
  apps = await startApps({
    root,
    directory: join(root, ".tally", "apps"),
    addresses: services.addresses,
    accounts: services.accounts,
    port: Number(process.env["PORT"] ?? 8080),
    environment: process.env,
    say: (line) => say(`  ${line}`),
    signal: interrupted.signal,
  });
  watching = watch([apps.gateway, apps.writer, apps.ranker]);
  settings.write({ ...addressVariables(services.addresses), TALLY_URL: apps.url });
  say(welcome(apps, services));
} catch (error) {
  // What a person can mend is said in its own words; only a surprise shows its stack.
  say(error instanceof ServiceError ? error.message : String(error instanceof Error ? error.stack : error));
  await stop(interrupted.signal.aborted ? 0 : 1);
}

function welcome({ url, operatorUrls, gateway, writer, ranker }: Apps, { source }: Services): string {
  return `
tally is running (services: ${source})

  API      ${url}
  metrics  ${operatorUrls.map((operatorUrl) => `${operatorUrl}/metrics`).join(", ")}, http://127.0.0.1:${writer.port}/metrics, http://127.0.0.1:${ranker.port}/metrics
  logs     ${[gateway, writer, ranker].map(({ logFile }) => logFile).join("\n           ")}

  Sell something, then ask what store 5 sells best:

  curl -i -X POST ${url}/purchase/5/customer/5001/date/20261120 -H 'Content-Type: application/json' \\
    -d '{"items":[{"ItemID":"85571","numberOfItems":3}]}'
  curl ${url}/items/store/5

  Ctrl-C stops everything; the data stays in .tally/

ready`;
}

function watch(servers: readonly Server[]): NodeJS.Timeout {
  const starting = new Set<Server>();
  return setInterval(() => {
    for (const server of servers) {
      if (server.pid !== undefined || starting.has(server) || stopping !== undefined) continue;
      starting.add(server);
      say(`  starting ${server.name} again`);
      server
        .start()
        .catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
        .finally(() => starting.delete(server));
    }
  }, restartEveryMs);
}

function stop(exitCode: number): Promise<void> {
  return (stopping ??= (async () => {
    say("tally: stopping");
    clearInterval(watching);
    settings.remove();
    await apps?.stop();
    await services?.stop();
    say("tally: stopped");
    process.exit(exitCode);
  })());
}
