import { setTimeout as delay } from "node:timers/promises";
import { crashPointNames, type CrashPoint } from "../inside/crash-points.ts";
import { gateways, type System } from "../system.ts";
import type { Aftermath, FaultKind } from "./fault-kind.ts";

/* Faults of the processes of the apps. */

const apps = ["gateway", "writer", "ranker"] as const;
type App = (typeof apps)[number];

const processesOf = (app: App): readonly [string, ...string[]] => (app === "gateway" ? gateways : [app]);

/** The index of a gateway; nothing for other processes. */
export const gatewayOf = (target: string): { gateway?: number } => {
  const gateway = gateways.findIndex((name) => name === target);
  return gateway < 0 ? {} : { gateway };
};

function startAgain(system: System, target: string): Aftermath {
  return { backAt: performance.now(), started: system.server(target).start(), ...gatewayOf(target) };
}

const killed = (app: App): FaultKind => ({
  name: `${app}-killed`,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: random.integer(0, 800), count: 0 }),
  async inject(system, { target, ms }) {
    system.server(target).kill("SIGKILL");
    await delay(ms);
    return startAgain(system, target);
  },
});

const frozen = (app: App): FaultKind => ({
  name: `${app}-frozen`,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: random.integer(500, 2500), count: 0 }),
  async inject(system, { target, ms }) {
    await freeze(system, target, ms);
    return { backAt: performance.now(), ...gatewayOf(target) };
  },
});

const restarted = (app: App): FaultKind => ({
  name: `${app}-restarted`,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: 0, count: 0 }),
  async inject(system, { target }) {
    const exitCode = await system.server(target).stop();
    if (exitCode !== 0)
      throw new Error(`${target} must exit with 0 after SIGTERM; exit code: ${exitCode ?? "none, killed"}`);
    return startAgain(system, target);
  },
});

const threadEnded = (app: App): FaultKind => ({
  name: `${app}-thread-killed`,
  plan: () => ({ target: app, ms: 0, count: 0 }),
  async inject(system) {
    await system.inside.endThread(app);
    return { backAt: performance.now() };
  },
});

const crashed = (app: App, point: CrashPoint): FaultKind => ({
  name: point,
  plan: (random) => ({
    target: random.pick(processesOf(app)),
    ms: random.integer(0, 300),
    count: random.integer(0, 20),
  }),
  async inject(system, { target, ms, count }) {
    await system.inside.crash(target, point, count);
    await delay(ms);
    return startAgain(system, target);
  },
});

const hourMs = 3_600_000;

const clockJumped = (app: App): FaultKind => ({
  name: `${app}-clock-jumped`,
  plan: (random) => ({
    target: random.pick(processesOf(app)),
    ms: random.integer(1000, 4000),
    count: random.pick([-hourMs, hourMs]),
  }),
  async inject(system, { target, ms, count: shiftMs }) {
    await system.inside.shiftClock(target, shiftMs);
    await delay(ms);
    await system.inside.shiftClock(target, 0);
    return { backAt: performance.now(), ...gatewayOf(target) };
  },
});

export async function freeze(system: System, name: string, ms: number): Promise<void> {
  system.server(name).kill("SIGSTOP");
  await delay(ms);
  system.server(name).kill("SIGCONT");
}

export const processKinds: readonly FaultKind[] = [
  ...apps.map(killed),
  ...apps.map(frozen),
  ...apps.map(restarted),
  ...apps.map(clockJumped),
  threadEnded("writer"),
  threadEnded("ranker"),
  ...apps.flatMap((app) =>
    crashPointNames.filter((point) => point.startsWith(`${app}.`)).map((point) => crashed(app, point)),
  ),
];
