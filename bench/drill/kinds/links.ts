import { setTimeout as delay } from "node:timers/promises";
import type { ProxyState } from "@tally/local";
import type { AppProcess, ServerName } from "../system.ts";
import type { FaultKind } from "./fault-kind.ts";
import { gatewayOf } from "./processes.ts";

/* Faults of the network between apps and servers. */

const routes: readonly [Route, ...Route[]] = [
  ["gateway-1", "rabbitmq"],
  ["gateway-2", "rabbitmq"],
  ["gateway-1", "database-replica"],
  ["gateway-2", "redis"],
  ["writer", "rabbitmq"],
  ["writer", "database-primary"],
  ["ranker", "rabbitmq"],
  ["ranker", "redis"],
  ["ranker", "database-primary"],
];
type Route = readonly [AppProcess, ServerName];
const nameOf = ([from, to]: Route): string => `${from} to ${to}`;

const link = (name: string, msMax: number, stateOf: (delayMs: number) => ProxyState): FaultKind => ({
  name: `link-${name}`,
  plan: (random) => ({
    target: nameOf(random.pick(routes)),
    ms: random.integer(300, msMax),
    count: random.integer(50, 300),
  }),
  async inject(system, { target, ms, count: delayMs }) {
    const route = routes.find((one) => nameOf(one) === target);
    if (route === undefined) throw new TypeError(`there is no link ${target}`);
    const proxy = system.link(...route);
    proxy.become(stateOf(delayMs));
    try {
      await delay(ms);
    } finally {
      proxy.become({ name: "open" });
    }
    return { backAt: performance.now(), ...gatewayOf(route[0]) };
  },
});

export const linkKinds: readonly FaultKind[] = [
  link("cut", 2000, () => ({ name: "cut" })),
  link("stalled", 2500, () => ({ name: "frozen" })),
  link("slow", 3000, (delayMs) => ({ name: "slow", delayMs })),
];
