import { join } from "node:path";
import { parseArgs } from "node:util";
import { StatusLine } from "@tally/runtime/status-line";
import { onLauncherGone } from "../process/processes.ts";
import { firstFailure, runCommand, ServiceError } from "../process/run-command.ts";
import { Waits, showWaits } from "../process/until.ts";
import { addressVariables } from "../services/addresses.ts";
import { servicesSources } from "../services/services.ts";
import { startServices } from "../services/start-services.ts";
import { startSystem, type System } from "../start-system.ts";
import { environmentFile } from "./environment-file.ts";
import { keepRunning } from "./keep-running.ts";
import { welcome } from "./welcome.ts";

/* `pnpm dev`: runs services and apps until Ctrl-C. --watch restarts changed apps; --services says where the servers
 * come from. */

const root = join(import.meta.dirname, "..", "..", "..", "..");
const directory = join(root, ".tally");
// `pnpm tally` reads its settings here while this runs.
const settings = environmentFile(join(directory, "dev", "environment"));

const status = new StatusLine(process.stdout);
const say = (line: string): void => status.say(line);
const sayIndented = (line: string): void => say(`  ${line}`);

const { watch = false, services: source } = readFlags();

const waits = new Waits();
showWaits(waits, status);
let system: System | undefined;
let stopping: Promise<void> | undefined;
const interrupted = new AbortController();

const interrupt = (): void => {
  interrupted.abort(new ServiceError("interrupted", "Interrupted while starting."));
  if (system !== undefined) void stop(system);
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
onLauncherGone(interrupt);

try {
  say("tally: starting services (RabbitMQ, MySQL primary and replica, Redis)");
  const page = buildPage(interrupted.signal);
  system = await startSystem({
    root,
    directory,
    database: "tally",
    namespace: process.env["NAMESPACE"] || "tally",
    port: Number(process.env["PORT"] || 8080),
    // The page shows money.
    environment: { BY: "quantity,netSales", ...process.env },
    say: sayIndented,
    waits,
    signal: interrupted.signal,
    async services(options) {
      const own = { ...options, directory: join(directory, "dev"), keepData: true };
      const services = await startServices({ ...own, services: source });
      settings.remove(); // of a run that was killed
      sayIndented(await page);
      if (!interrupted.signal.aborted) say("tally: starting gateway, writer and ranker");
      return services;
    },
  });
  interrupted.signal.throwIfAborted();
  settings.write({ ...addressVariables(system.addresses), NAMESPACE: system.namespace, TALLY_URL: system.url });
  keepRunning({
    apps: system,
    servers: system.services.servers,
    say,
    signal: interrupted.signal,
    watchedRoot: watch ? root : undefined,
  });
  say(welcome(system, system.services.source));
} catch (thrown) {
  const error = firstFailure(thrown);
  // A failure that a person can fix is printed without its stack.
  say(error instanceof ServiceError ? error.message : String(error instanceof Error ? error.stack : error));
  if (system !== undefined) settings.remove();
  await system?.stop();
  say("tally: stopped");
  process.exit(interrupted.signal.aborted ? 0 : error instanceof ServiceError ? 2 : 1);
}

function readFlags() {
  try {
    const { values } = parseArgs({ options: { watch: { type: "boolean" }, services: { type: "string" } } });
    const chosen = servicesSources.find((one) => one === values.services);
    if (chosen === values.services) return { ...values, services: chosen };
  } catch {} // an unknown flag
  say(`Usage: pnpm dev [--watch] [--services ${servicesSources.join("|")}]`);
  process.exit(2);
}

function stop(running: System): Promise<void> {
  return (stopping ??= (async () => {
    say("tally: stopping");
    settings.remove();
    await running.stop();
    say("tally: stopped");
    process.exit(0);
  })());
}

/** Builds the page that the gateway serves; from turbo's cache when it was built before. Never throws: without its page
 * the system works. */
async function buildPage(signal: AbortSignal): Promise<string> {
  const turbo = join(root, "node_modules", ".bin", "turbo");
  const { exitCode, output, errors } = await runCommand(turbo, ["run", "build", "--no-color"], {
    environment: process.env,
    signal,
  });
  return exitCode === 0 ? "page: built" : `page: cannot be built; GET / responds with 404:\n${output}${errors}`;
}
