import type { BenchPlan } from "../bench-plan.ts";
import { designOf } from "../designs/designs.ts";
import type { Phase } from "../load/load-plan.ts";
import { domainNamed } from "../open-stack.ts";
import { root } from "../root.ts";
import { WrongUsage } from "../wrong-usage.ts";
import type { Flags } from "./flags.ts";
import { progressBar } from "./progress-bar.ts";
import { say } from "./say.ts";

/** One run as the flags ask for it; throws a WrongUsage for what does not go together. */
export function planOf(flags: Flags, signal: AbortSignal): BenchPlan {
  return {
    root,
    domain: checkedDomain(flags.domain),
    connections: flags.connections,
    seed: flags.seed,
    spread: flags.zipf === true ? "zipf" : "wide",
    readShare: flags.mix,
    contentBytes: flags.contentBytes,
    answerWithinMs: 10_000,
    design: flags.design,
    durability: flags.durability,
    gateways: flags.gateways,
    clientThreads: flags.clientThreads,
    fill: fillOf(flags),
    warmUpSeconds: flags.amount === undefined ? flags.warmUp : 0,
    phase: phaseOf(flags),
    settings: settingsOf(flags),
    target: flags.target?.replace(/\/+$/, ""),
    say,
    ...progressBar(),
    signal,
  };
}

function fillOf({ fill, design }: Flags): number | undefined {
  if (fill !== undefined && designOf(design).stores === "nobody")
    throw new WrongUsage(`--fill: nothing is stored in the design ${design}`);
  return fill;
}

function settingsOf({ set }: Flags): Readonly<Record<string, string>> {
  return Object.fromEntries(set.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
}

function phaseOf({ amount, duration, rate, connections, clientThreads, gateways }: Flags): Phase {
  if (amount !== undefined && amount < connections)
    throw new WrongUsage("--amount: expected at least one for each connection");
  if (rate === 0) throw new WrongUsage("--rate: expected more than 0");
  for (const [name, parts] of [["--client-threads", clientThreads] as const, ["--gateways", gateways] as const])
    if (parts > connections)
      throw new WrongUsage(`${name}: expected at most one for each of the ${connections} connections`);
  const until =
    amount === undefined ? ({ name: "seconds", seconds: duration } as const) : ({ name: "amount", amount } as const);
  return rate === undefined ? { model: "closed", until } : { model: "open", until, perSecond: rate };
}

function checkedDomain(name: string): string {
  try {
    return domainNamed(name).name;
  } catch (error) {
    throw new WrongUsage(`--domain: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
