import { setTimeout as delay } from "node:timers/promises";
import type { LinkState } from "../link.ts";
import type { Random } from "../random.ts";
import { gateways, type AppProcess, type ServerName, type Stand } from "../stand.ts";
import type { FaultKind } from "./fault-kind.ts";

/* The network between apps and servers. */

const routes: readonly (readonly [AppProcess, ServerName])[] = [
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
const nameOf = ([from, to]: readonly [AppProcess, ServerName]): string => `${from} to ${to}`;

const link = (name: string, longestMs: number, stateOf: (delayMs: number) => LinkState): FaultKind => ({
  name: `link-${name}`,
  plan: (random: Random) => ({
    target: nameOf(routes[random.integer(0, routes.length - 1)] ?? ["writer", "rabbitmq"]),
    ms: random.integer(300, longestMs),
    count: random.integer(50, 300),
  }),
  async inject(stand: Stand, { target, ms, count: delayMs }) {
    const route = routes.find((one) => nameOf(one) === target);
    if (route === undefined) throw new TypeError(`there is no link ${target}`);
    const hit = stand.link(...route);
    hit.become(stateOf(delayMs));
    try {
      await delay(ms);
    } finally {
      hit.become({ name: "open" });
    }
    const gateway = gateways.findIndex((one) => one === route[0]);
    return { backAt: performance.now(), ...(gateway < 0 ? {} : { gateway }) };
  },
});

export const linkKinds: readonly FaultKind[] = [
  link("cut", 2000, () => ({ name: "cut" })),
  link("stalled", 2500, () => ({ name: "stalled" })),
  link("slow", 3000, (delayMs) => ({ name: "slow", delayMs })),
];
