import { workloadOf } from "../../kit/index.ts";
import { reasonOf } from "@tally/runtime";
import type { BenchPlan } from "../bench-plan.ts";
import { designOf } from "../designs/designs.ts";
import type { Phase } from "../load/load-plan.ts";
import { asItIs, type Arrangement } from "../results/printed-rows.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { root, say, type Flags } from "./flags.ts";

/** The plan of one run. Throws a WrongUsage for flags that contradict each other. */
export function planOf(
  flags: Flags,
  signal: AbortSignal,
  { design, durability }: Pick<Arrangement, "design" | "durability"> = asItIs,
): BenchPlan {
  const { fill, amount } = flags;
  const { stores } = designOf(design);
  if (fill !== undefined && stores === "nothing") throw new WrongUsage(`--fill: the design ${design} stores nothing`);
  // Durability is a property of the broker. Without it, the report would claim what a 2xx does not mean.
  if (stores !== "writer" && durability !== "confirmed")
    throw new WrongUsage(`the design ${design} sends nothing to the broker, so it cannot be ${durability}`);
  if (durability === "transient" && flags.services === "environment")
    throw new WrongUsage("--services environment: queues in memory are declared only on servers of the bench");
  return {
    root,
    repeat: ["pnpm bench", ...process.argv.slice(2).map(quoted)].join(" "),
    domain: domainOf(flags),
    connections: flags.connections,
    seed: flags.seed,
    spread: flags.zipf === true ? "zipf" : "wide",
    readShare: flags.mix,
    contentBytes: flags.contentBytes,
    isPriced: flags.priced,
    responseWithinMs: 10_000,
    design,
    durability,
    gateways: flags.gateways,
    services: flags.services,
    clientThreads: flags.clientThreads,
    fill,
    warmUpSeconds: amount === undefined ? flags.warmUp : 0,
    phase: phaseOf(flags),
    settings: Object.fromEntries(flags.set),
    say,
    signal,
  };
}

export function planOfSource(
  { domain, run, scale, seed }: { readonly domain: string } & Readonly<Record<"run" | "scale" | "seed", number>>,
  arrangement: Arrangement,
  signal: AbortSignal,
): BenchPlan {
  const groups = workloadOf(domain).source?.runs[run]?.groups(scale) ?? [];
  const connections = groups.reduce((sum, group) => sum + group.connections, 0);
  const { gateways } = arrangement;
  // Programs, as in all runs that are kept: the network of containers costs CPU time.
  const own = { gateways, clientThreads: 1, duration: 1, warmUp: 0, mix: 0, set: [], services: "programs" } as const;
  const flags = { domain, connections, seed, ...own };
  return { ...planOf(flags, signal, arrangement), phase: { model: "source", run, scale } };
}

function phaseOf({ amount, duration, rate, connections, clientThreads, gateways }: Flags): Phase {
  if (amount !== undefined && amount < connections)
    throw new WrongUsage("--amount: expected at least one for each connection");
  if (duration === 0 || duration > secondsMax)
    throw new WrongUsage(`--duration: expected more than 0 and at most ${secondsMax} seconds`);
  if (rate === 0) throw new WrongUsage("--rate: expected more than 0");
  if (rate !== undefined && amount === undefined && duration * rate < 1)
    throw new WrongUsage(`--rate: no request is due in ${duration} s at ${rate} a second`);
  for (const [name, parts] of [["--client-threads", clientThreads] as const, ["--gateways", gateways] as const])
    if (parts > connections)
      throw new WrongUsage(`${name}: expected at most one for each of the ${connections} connections`);
  const until = amount === undefined ? { seconds: duration } : { amount };
  return rate === undefined ? { model: "closed", until } : { model: "open", until, perSecond: rate };
}

// Below the longest delay of Node's timers.
const secondsMax = 1_000_000;
// The largest part of a form that the gateway accepts.
const contentBytesMax = 15 * 1024 * 1024;

function domainOf({ domain, contentBytes = 0 }: Flags): string {
  if (contentBytes > contentBytesMax)
    throw new WrongUsage(`--content-bytes: expected at most ${contentBytesMax}, got ${contentBytes}`);
  try {
    return workloadOf(domain).domain;
  } catch (error) {
    throw new WrongUsage(`--domain: ${reasonOf(error)}`, { cause: error });
  }
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
