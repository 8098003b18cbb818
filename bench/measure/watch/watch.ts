import { statfs } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { readProcesses } from "@tally/local";
import type { Status } from "@tally/telemetry";
import type { BenchPlan } from "../bench-plan.ts";
import type { System } from "../open-system.ts";
import { repeated } from "./repeated.ts";
import type { Tiers } from "./tiers.ts";

/** Counters of the apps since their start. `at`: a time of performance.now(). `stored`, `batches`: events of committed
 * transactions, and their batches. `ranked`: ranked batches. */
export type Counters = Awaited<ReturnType<typeof readCounters>>;

/** Costs 1 to 2 ms, half of it in the apps. */
export async function readCounters(system: Pick<System, "writerUrls" | "rankerUrls">) {
  const at = performance.now();
  const [writers = "", rankers = ""] = await Promise.all([system.writerUrls, system.rankerUrls].map(metricsOf));
  return {
    at,
    stored: sumIn(writers, "tally_writer_events_total"),
    batches: sumIn(writers, "tally_writer_batches_total"),
    ranked: sumIn(rankers, "tally_ranker_batches_total"),
  };
}

async function metricsOf(urls: readonly string[]): Promise<string> {
  return (await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()))).join("\n");
}

/** How long batches took from stage to stage in the last 10 s. Empty for a design without the app's gateway. */
export async function readHops(url: string): Promise<Status["hops"]> {
  const response = await fetch(`${url}/status`);
  if (!response.ok) return [];
  const status: Status = JSON.parse(await response.text());
  return status.hops;
}

/** The sum of a metric over all labels and services. */
function sumIn(text: string, name: string): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** The state of a running system at one moment. */
export interface Observation extends Counters {
  /** Messages in the domain's two queues. Delivered messages are in no queue. */
  readonly queued: number;
  /** Share of its limit of the fuller queue, 0 to 1. */
  readonly fullness: number;
  readonly tiers: Tiers;
  /** What all files take where those of the system are, and its keys in Redis, read once a million events. */
  readonly diskMiB: number;
  readonly redisKeys: number | null;
}

const observeEveryMs = 500;

const millionsOf = ({ stored }: Counters): number => Math.floor(stored / 1e6);

function progressText(from: Observation, to: Observation): string {
  const events = to.stored - from.stored;
  const cpuOf = ({ tiers }: Observation) => Object.values(tiers).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const each = Math.round(((cpuOf(to) - cpuOf(from)) * 1e6) / events);
  const perSecond = Math.round((events * 1000) / (to.at - from.at));
  return `${millionsOf(to)} million events are stored: since the last, ${perSecond}/s and ${each} µs of CPU each`;
}

/** Observes a system twice a second until it is stopped, and says each million that it has stored. An observation costs
 * the bench some ms of CPU time. */
export function startWatch(system: System, { domain, say }: Pick<BenchPlan, "domain" | "say">) {
  const observations: Observation[] = [];
  /** The first one of the newest million. */
  let mark: Observation | undefined;
  // Never runs twice at once: stop() waits for the call under way.
  async function observe(): Promise<void> {
    const tiers = system.tiers(readProcesses());
    const [queues, counters] = await Promise.all([system.queues(domain), readCounters(system)]);
    const kept = mark !== undefined && millionsOf(mark) === millionsOf(counters) ? mark : undefined;
    const { blocks, bfree, bsize } = await statfs(system.root);
    const seen = {
      ...counters,
      queued: queues.reduce((sum, { depth }) => sum + depth, 0),
      fullness: Math.max(...queues.map(({ depth, max }) => depth / max)),
      tiers,
      diskMiB: ((blocks - bfree) * bsize) / 2 ** 20,
      redisKeys: kept === undefined ? await system.redisKeys() : kept.redisKeys,
    };
    observations.push(seen);
    if (mark !== undefined && kept === undefined) say(progressText(mark, seen));
    mark = kept ?? seen;
  }
  const end = repeated(async () => {
    await observe();
    await delay(observeEveryMs);
  });
  return {
    observations,
    async stop(): Promise<void> {
      await end();
      await observe();
    },
  };
}
