import { workloadOf, type Spread } from "@tally/domains/workloads";
import { reasonOf } from "@tally/runtime";
import { Progress } from "@tally/runtime/progress";
import { Random } from "../../kit/index.ts";
import type { BenchPlan } from "../bench-plan.ts";
import { designOf, type Durability } from "../designs/designs.ts";
import type { Phase } from "../load/load-plan.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { root, type Flags } from "./flags.ts";
import { say } from "./say.ts";

/** The plan of one run. Throws a WrongUsage for flags that contradict each other. */
export function planOf(flags: Flags, signal: AbortSignal): BenchPlan {
  const progress = new Progress();
  return {
    root,
    domain: domainOf(flags),
    connections: flags.connections,
    seed: flags.seed,
    spread: flags.zipf === true ? "zipf" : "wide",
    readShare: flags.mix,
    contentBytes: flags.contentBytes,
    responseWithinMs: 10_000,
    design: flags.design,
    durability: durabilityFor(flags),
    gateways: flags.gateways,
    clientThreads: flags.clientThreads,
    fill: fillOf(flags),
    warmUpSeconds: flags.amount === undefined ? flags.warmUp : 0,
    phase: phaseOf(flags),
    requestsCsv: flags.requestsCsv,
    settings: settingsOf(flags),
    target: flags.target,
    say,
    onProgress({ share, through }) {
      const total = share > 0 ? Math.round(through / share) : undefined;
      if (process.stderr.isTTY) progress.show("requests", through, total);
    },
    onLoadEnded: () => progress.end(),
    signal,
  };
}

function fillOf({ fill, design }: Flags): number | undefined {
  if (fill !== undefined && designOf(design).stores === "nothing")
    throw new WrongUsage(`--fill: the design ${design} stores nothing`);
  return fill;
}

function settingsOf({ set }: Flags): Readonly<Record<string, string>> {
  return Object.fromEntries(set.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
}

function phaseOf({ amount, duration, rate, connections, clientThreads, gateways }: Flags): Phase {
  if (amount !== undefined && amount < connections)
    throw new WrongUsage("--amount: expected at least one for each connection");
  if (amount === undefined) checkDuration(duration, rate);
  if (rate === 0) throw new WrongUsage("--rate: expected more than 0");
  for (const [name, parts] of [["--client-threads", clientThreads] as const, ["--gateways", gateways] as const])
    if (parts > connections)
      throw new WrongUsage(`${name}: expected at most one for each of the ${connections} connections`);
  const until =
    amount === undefined ? ({ name: "seconds", seconds: duration } as const) : ({ name: "amount", amount } as const);
  return rate === undefined ? { model: "closed", until } : { model: "open", until, perSecond: rate };
}

// The longest delay of Node's timers; longer ones fire at once.
const secondsMax = (2 ** 31 - 1) / 1000;

function checkDuration(seconds: number, rate: number | undefined): void {
  if (seconds === 0 || seconds > secondsMax)
    throw new WrongUsage(`--duration: expected more than 0 and at most ${Math.floor(secondsMax)} seconds`);
  if (rate !== undefined && rate > 0 && seconds * rate < 1)
    throw new WrongUsage(`--rate: no request is due in ${seconds} s at ${rate} a second`);
}

/** Durability is a property of the broker. Without it, the report would claim what a 2xx does not mean. */
function durabilityFor({ design, durability }: Flags): Durability {
  if (designOf(design).stores !== "writer" && durability !== "confirmed")
    throw new WrongUsage(
      `--durability: the design ${design} sends nothing to the broker, so it cannot be ${durability}`,
    );
  return durability;
}

// The largest part of a form that a gateway takes.
const contentBytesMax = 15 * 1024 * 1024;

/** Checks also that the domain uses the flags of its load: the report would claim a flag that it ignores. */
function domainOf({ domain: name, contentBytes, zipf }: Flags): string {
  const workload = namedByUser(name);
  const sent = (spread: Spread, bytes?: number) => {
    const random = new Random(1).fraction;
    const requests = Array.from({ length: 10 }, () => workload.next(random, spread, { contentBytes: bytes }));
    return JSON.stringify([requests, Array.from({ length: 10 }, () => workload.read(random, spread))]);
  };
  if (contentBytes !== undefined && sent("wide", 1000) === sent("wide", 2000))
    throw new WrongUsage(`--content-bytes: events of ${name} have no content`);
  if (contentBytes !== undefined && contentBytes > contentBytesMax)
    throw new WrongUsage(
      `--content-bytes: expected at most ${contentBytesMax}, the largest picture that a gateway takes`,
    );
  if (zipf === true && sent("wide") === sent("zipf"))
    throw new WrongUsage(`--zipf: the load of ${name} does not depend on it`);
  return name;
}

function namedByUser(name: string) {
  try {
    return workloadOf(name);
  } catch (error) {
    throw new WrongUsage(`--domain: ${reasonOf(error)}`, { cause: error });
  }
}
