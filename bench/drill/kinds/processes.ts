import { setTimeout as delay } from "node:timers/promises";
import { appNames, type AppName } from "@tally/local";
import type { Random } from "../../kit/index.ts";
import { crashPointNames, type CrashPoint } from "../inside/crash-points.ts";
import { gateways, type System } from "../system.ts";
import type { Aftermath, FaultKind } from "./fault-kind.ts";

/* Faults of the processes of the apps. */

const processesOf = (app: AppName): readonly [string, ...string[]] => (app === "gateway" ? gateways : [app]);

/** The index of a gateway; nothing for other processes. */
export const gatewayOf = (target: string): { gateway?: number } => {
  const gateway = gateways.findIndex((name) => name === target);
  return gateway < 0 ? {} : { gateway };
};

function startAgain(system: System, target: string): Aftermath {
  return { backAt: performance.now(), started: system.server(target).start(), ...gatewayOf(target) };
}

/** A fault of any process of an app, with a time between two limits. */
const processKind = (
  app: AppName,
  name: string,
  [msMin, msMax]: readonly [number, number],
  inject: FaultKind["inject"],
  count: (random: Random) => number = () => 0,
): FaultKind => ({
  name,
  plan: (random) => ({ target: random.pick(processesOf(app)), ms: random.integer(msMin, msMax), count: count(random) }),
  inject,
});

const killed = (app: AppName): FaultKind =>
  processKind(app, `${app}-killed`, [0, 800], async (system, { target, ms }) => {
    system.server(target).kill("SIGKILL");
    await delay(ms);
    return startAgain(system, target);
  });

const frozen = (app: AppName): FaultKind =>
  processKind(app, `${app}-frozen`, [500, 2500], async (system, { target, ms }) => {
    await freeze(system, target, ms);
    return { backAt: performance.now(), ...gatewayOf(target) };
  });

const restarted = (app: AppName): FaultKind =>
  processKind(app, `${app}-restarted`, [0, 0], async (system, { target }) => {
    const exitCode = await system.server(target).stop();
    if (exitCode !== 0)
      throw new Error(`${target} must exit with 0 after SIGTERM; exit code: ${exitCode ?? "none, killed"}`);
    return startAgain(system, target);
  });

const threadEnded = (app: AppName): FaultKind =>
  processKind(app, `${app}-thread-killed`, [0, 0], async (system, { target }) => {
    await system.inside.endThread(target);
    return { backAt: performance.now() };
  });

const crashed = (app: AppName, point: CrashPoint): FaultKind => {
  const inject: FaultKind["inject"] = async (system, { target, ms, count }) => {
    await system.inside.crash(target, point, count);
    await delay(ms);
    return startAgain(system, target);
  };
  return processKind(app, point, [0, 300], inject, (random) => random.integer(0, 20));
};

const hourMs = 3_600_000;

const clockJumped = (app: AppName): FaultKind => {
  const inject: FaultKind["inject"] = async (system, { target, ms, count: shiftMs }) => {
    await system.inside.shiftClock(target, shiftMs);
    await delay(ms);
    await system.inside.shiftClock(target, 0);
    return { backAt: performance.now(), ...gatewayOf(target) };
  };
  return processKind(app, `${app}-clock-jumped`, [1000, 4000], inject, (random) => random.pick([-hourMs, hourMs]));
};

export async function freeze(system: System, name: string, ms: number): Promise<void> {
  system.server(name).kill("SIGSTOP");
  await delay(ms);
  system.server(name).kill("SIGCONT");
}

export const processKinds: readonly FaultKind[] = [
  ...appNames.map(killed),
  ...appNames.map(frozen),
  ...appNames.map(restarted),
  ...appNames.map(clockJumped),
  threadEnded("writer"),
  threadEnded("ranker"),
  ...appNames.flatMap((app) =>
    crashPointNames.filter((point) => point.startsWith(`${app}.`)).map((point) => crashed(app, point)),
  ),
];
