import { setTimeout as delay } from "node:timers/promises";
import { readProcesses, until } from "@tally/local";
import type { Balancer, Server } from "@tally/local";
import { repeated } from "../watch/repeated.ts";

/** A change of the number of gateways. `at`: a time of performance.now(). */
export interface Scaled {
  readonly at: number;
  readonly gateways: number;
}

// The rule of S1: of a core each, in the mean of a window.
const addAbove = 0.4;
const removeBelow = 0.2;
// Short beside our loads, the shortest of which takes 36 s.
const windowMs = 5000;

/** How many of `max` gateways run after a window in which `running` of them used `cores`. */
export function gatewaysAfter(running: number, cores: number, max: number): number {
  const each = cores / running;
  if (each > addAbove) return Math.min(running + 1, max);
  return each < removeBelow ? Math.max(running - 1, 1) : running;
}

interface ScalingOptions {
  /** All of them run, and the balancer sends to all. */
  readonly gateways: readonly Server[];
  readonly urls: readonly string[];
  readonly balancer: Balancer;
  readonly say: (line: string) => void;
}

/** Stops all gateways but one, then adds and removes them by the rule of S1 until it is stopped. */
export async function startScaling({ gateways, urls, balancer, say }: ScalingOptions) {
  const changes: Scaled[] = [];
  let running = gateways.length;

  /** An added gateway serves before the balancer knows it, and a removed one after it. */
  async function resize(count: number): Promise<void> {
    await Promise.all(gateways.slice(running, count).map((gateway) => gateway.start()));
    balancer.setGateways(urls.slice(0, count));
    if (!(await until(async () => (await balancer.serving()) === count, { withinMs: 30_000 })))
      throw new Error(`the balancer does not send to ${count} gateways`);
    await Promise.all(gateways.slice(count, running).map((gateway) => gateway.stop()));
    running = count;
    changes.push({ at: performance.now(), gateways: count });
  }

  function cpuSeconds(): number {
    const pids = new Set(gateways.map(({ pid }) => pid));
    return readProcesses().reduce((sum, one) => sum + (pids.has(one.group) ? one.cpuSeconds : 0), 0);
  }

  async function look(): Promise<void> {
    const [before, beganAt] = [cpuSeconds(), performance.now()];
    await delay(windowMs);
    const cores = ((cpuSeconds() - before) * 1000) / (performance.now() - beganAt);
    const wanted = gatewaysAfter(running, cores, gateways.length);
    if (wanted === running) return;
    await resize(wanted);
    say(`${running} gateways, after ${cores.toFixed(2)} cores of CPU`);
  }

  await resize(1);
  return { changes, stop: repeated(look) };
}
