import { setTimeout as delay } from "node:timers/promises";
import { crashPointNames } from "../inside/crash-points.ts";
import { appProcesses, gateways, type AppProcess, type ServerName, type Stand } from "../stand.ts";
import type { Aftermath, FaultKind } from "./fault-kind.ts";

/* Processes that are killed, stopped and started again. */

const apps = ["gateway", "writer", "ranker"] as const;
type App = (typeof apps)[number];

const nameOf = (target: string): AppProcess => {
  const name = appProcesses.find((one) => one === target);
  if (name === undefined) throw new TypeError(`there is no app ${target}`);
  return name;
};
const gatewayOf = (target: string): { gateway?: number } => {
  const gateway = gateways.findIndex((name) => name === target);
  return gateway < 0 ? {} : { gateway };
};
const processesOf = (app: App): readonly [AppProcess, ...AppProcess[]] => (app === "gateway" ? gateways : [app]);

function startAgain(stand: Stand, target: string): Aftermath {
  return { backAt: performance.now(), started: stand.process(nameOf(target)).start(), ...gatewayOf(target) };
}

const killed = (app: App): FaultKind => ({
  name: `${app}-killed`,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: random.integer(0, 800), count: 0 }),
  async inject(stand, { target, ms }) {
    stand.process(nameOf(target)).kill("SIGKILL");
    await delay(ms);
    return startAgain(stand, target);
  },
});

const frozen = (app: App): FaultKind => ({
  name: `${app}-frozen`,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: random.integer(500, 2500), count: 0 }),
  async inject(stand, { target, ms }) {
    await freeze(stand, nameOf(target), ms);
    return { backAt: performance.now(), ...gatewayOf(target) };
  },
});

const restarted = (app: App): FaultKind => ({
  name: `${app}-restarted`,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: 0, count: 0 }),
  async inject(stand, { target }) {
    const exitCode = await stand.process(nameOf(target)).stop();
    if (exitCode !== 0) throw new Error(`${target} did not end well after SIGTERM: ${exitCode ?? "killed"}`);
    return startAgain(stand, target);
  },
});

const threadEnded = (app: "writer" | "ranker"): FaultKind => ({
  name: `${app}-thread-killed`,
  plan: () => ({ target: app, ms: 0, count: 0 }),
  async inject(stand) {
    await stand.inside.endThread(app);
    return { backAt: performance.now() };
  },
});

const crashed = (point: (typeof crashPointNames)[number]): FaultKind => ({
  name: point,
  plan(random) {
    const app = apps.find((one) => point.startsWith(`${one}.`)) ?? "writer";
    return { target: random.pick(processesOf(app)), ms: random.integer(0, 300), count: random.integer(0, 20) };
  },
  async inject(stand, { target, ms, count }) {
    await stand.inside.crash(nameOf(target), point, count);
    await delay(ms);
    return startAgain(stand, target);
  },
});

/** Stops a process for a while. */
export async function freeze(stand: Stand, name: AppProcess | ServerName, ms: number): Promise<void> {
  stand.process(name).kill("SIGSTOP");
  await delay(ms);
  stand.process(name).kill("SIGCONT");
}

export const processKinds: readonly FaultKind[] = [
  ...apps.map(killed),
  ...apps.map(frozen),
  ...apps.map(restarted),
  threadEnded("writer"),
  threadEnded("ranker"),
  ...crashPointNames.map(crashed),
];
