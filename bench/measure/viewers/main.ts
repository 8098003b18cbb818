import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { claimDirectory, readProcesses } from "@tally/local";
import { startLoad } from "../load/start-load.ts";
import { openSystem, type System } from "../open-system.ts";
import { openViewers, untilSeen } from "./open-viewers.ts";

/*
 * What viewers of the live page cost a gateway: `node bench/measure/viewers/main.ts [seconds]`.
 *
 *   full load     rounds of `seconds` with and without ten viewers, in turns: CPU time of the gateway for each purchase
 *   ten viewers   the CPU time of the gateway while a purchase every 20 ms changes what they watch: with few other requests, it is their cost
 *   delay         from the POST of a purchase to the event with its store's new bars, of 20 purchases: of all days, and of one
 *   idle viewers  resident memory of a gateway with a thousand streams of paths that do not change
 */

const root = join(import.meta.dirname, "..", "..", "..");
const seconds = Number(process.argv[2] ?? 5);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const signal = new AbortController().signal;
const rounds = 2;
const idleViewers = 1000;

// As the page: its status and views, the boards of a store, and its latest purchases.
const watchesOf = (viewer: number): readonly string[] => {
  const store = viewer + 1;
  return [
    "/status",
    "/views",
    `/stores/${store}/top-items?limit=10`,
    `/stores/${store}/top-items?limit=10&date=20261120`,
    `/purchases/latest?storeID=${store}&limit=20`,
    `/items/${store}/top-stores?limit=10`,
  ];
};

const cpu = (of: System): number => of.tiers(readProcesses()).gateway.cpuSeconds;

const { directory } = await claimDirectory(join(root, ".tally"), "bench", say);
const settings = { STREAMS_PER_ADDRESS_MAX: String(2 * idleViewers), HEALTH_KEPT_MS: "1000" };
const system = await openSystem({
  root,
  directory,
  design: "batched",
  durability: "confirmed",
  gateways: 1,
  settings,
  say: () => undefined,
  signal,
});
try {
  const url = system.urls[0] ?? "";
  await fullLoad(system, url);
  await tenViewers(system, url);
  await delays(url, "all days");
  await delays(url, "one day");
  await memory(system, url);
} finally {
  await system.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

async function fullLoad(of: System, url: string): Promise<void> {
  const shape = { domain: "purchases", connections: 64, seed: 1, spread: "narrow" as const, readShare: 0 };
  const load = startLoad({ ...shape, urls: [url], responseWithinMs: 30_000 }, 1);
  try {
    const round = async (count: number) => {
      const viewers = await openViewers(url, count, watchesOf);
      const run = await load.prepare({ model: "closed", until: { name: "seconds", seconds } });
      const before = cpu(of);
      const { accepted } = await run();
      const used = cpu(of) - before;
      viewers.close();
      return { count, accepted, events: viewers.events(), usPerEvent: (used * 1e6) / accepted };
    };
    await round(0);
    for (let n = 0; n < rounds; n++) {
      for (const count of n % 2 === 0 ? [0, 10] : [10, 0]) {
        const { accepted, events, usPerEvent } = await round(count);
        const rate = Math.round(accepted / seconds);
        say(
          `full load, ${count} viewers: ${usPerEvent.toFixed(1)} µs of the gateway for each of ${rate} purchases/s, ${events} events sent`,
        );
      }
    }
  } finally {
    await load.close();
  }
}

async function tenViewers(of: System, url: string): Promise<void> {
  const round = async (count: number): Promise<number> => {
    const viewers = await openViewers(url, count, watchesOf);
    const before = cpu(of);
    const until = performance.now() + seconds * 1000;
    let sent = 0;
    while (performance.now() < until) {
      const store = (sent++ % 10) + 1;
      const response = await fetch(`${url}/purchase/${store}/customer/1/date/20261120`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"items":[{"ItemID":"1","numberOfItems":1}]}',
      });
      await response.arrayBuffer();
      await delay(20);
    }
    const share = ((cpu(of) - before) / seconds) * 100;
    say(`a purchase every 20 ms, ${count} viewers: ${share.toFixed(1)} % of a core, ${viewers.events()} events sent`);
    viewers.close();
    return share;
  };
  const shares = [await round(0), await round(10), await round(10), await round(0)] as const;
  say(`ten viewers: ${((shares[1] + shares[2] - shares[0] - shares[3]) / 2).toFixed(1)} % of a core`);
}

async function delays(url: string, days: "all days" | "one day"): Promise<void> {
  const [firstStore, date] = days === "all days" ? [1001, ""] : [1021, "?date=20261120"];
  const ms: number[] = [];
  for (let store = firstStore; store < firstStore + 20; store++) {
    let begun = 0;
    await untilSeen(url, `/stores/${store}/top-items${date}`, `"itemID":${store},"quantity":3`, async () => {
      begun = performance.now();
      const response = await fetch(`${url}/purchase/${store}/customer/1/date/20261120`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"items":[{"ItemID":"${store}","numberOfItems":3}]}`,
      });
      await response.arrayBuffer();
    });
    ms.push(performance.now() - begun);
  }
  const sorted = ms.toSorted((a, b) => a - b).map(Math.round);
  say(`from the POST to the event with the bars of ${days}: median ${sorted[10]} ms, longest ${sorted[19]} ms`);
}

async function memory(of: System, url: string): Promise<void> {
  const resident = async (): Promise<number> => {
    await delay(seconds * 1000);
    return of.tiers(readProcesses()).gateway.memoryMiB;
  };
  const before = await resident();
  const viewers = await openViewers(url, idleViewers, () => ["/views", "/steps/top?day=1"]);
  const after = await resident();
  say(
    `${idleViewers} idle viewers: ${before.toFixed(0)} → ${after.toFixed(0)} MiB, ${(after - before).toFixed(0)} MiB more`,
  );
  viewers.close();
}
