import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { aborted } from "node:util";
import { workloadOf } from "../kit/index.ts";
import { idBytes } from "./load/recorder.ts";
import { claimDirectory, runTally } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import type { BenchPlan } from "./bench-plan.ts";
import { openBuild } from "./builds/builds.ts";
import { designOf } from "./designs/designs.ts";
import type { Fill, Phase, PhaseResult } from "./load/load-plan.ts";
import { startLoad } from "./load/start-load.ts";
import { readMachine } from "./machine/disturbance.ts";
import { makeReport, type Seen } from "./make-report.ts";
import { openSystem, type System } from "./open-system.ts";
import type { Report } from "./report.ts";
import { withUnnamed } from "./verdict.ts";
import { drained, type Drained } from "./watch/drained.ts";
import { follow, followedOf } from "./watch/follow.ts";
import { readCounters, readHops, startWatch } from "./watch/watch.ts";

/** One run on a fresh system: fill, drain, warm-up, drain, load, drain, audit. */
export async function runBench(plan: BenchPlan): Promise<Report> {
  const { build, root, say, signal } = plan;
  await using opened = new AsyncDisposableStack();
  const { directory, release } = await claimDirectory(join(root, ".tally"), "bench", say);
  opened.defer(release);
  opened.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  const system = await (build === undefined ? openSystem({ ...plan, directory }) : openBuild(build, plan));
  opened.defer(() => system.close());
  return await unlessAborted(signal, measure(plan, system, join(directory, "acknowledged")));
}

/** Rejects at once when `signal` is aborted. The work then ends with the process. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const abort = async (): Promise<never> => {
    await aborted(signal, work);
    throw signal.reason;
  };
  return Promise.race([work, abort()]);
}

/** `idsFile` gets the ids of acknowledged events, for the audit. */
async function measure(plan: BenchPlan, system: System, idsFile: string): Promise<Report> {
  const { connections, seed, spread, readShare, contentBytes, isPriced, responseWithinMs, domain } = plan;
  const partOf = 1_000_000;
  const shape = { connections, seed, spread, readShare, contentBytes, isPriced, responseWithinMs, domain, partOf };
  const load = startLoad({ ...shape, urls: system.urls }, plan.clientThreads);
  plan.signal.addEventListener("abort", () => void load.close(), { once: true });
  try {
    const seenOf = async (what: Phase | Fill): Promise<Seen> => {
      const run = await load.prepare(what);
      return runPhase(plan, system, () => run(idsFile));
    };
    let filled = 0;
    if (plan.fill !== undefined) {
      plan.say(`filling with ${plan.fill} events`);
      filled = (await seenOf({ model: "fill", amount: plan.fill })).result.accepted;
    }
    let acknowledged = filled;
    const warmUp = warmUpOf(plan);
    if (warmUp !== undefined) {
      plan.say("warming up");
      acknowledged += (await seenOf(warmUp)).result.accepted;
    }
    const isFollowed = designOf(plan.design).stores === "writer";
    const events: ReturnType<typeof follow>[] = [];
    if (isFollowed) load.onSample = (sample) => void events.push(follow(system.urls[0] ?? "", sample));
    const seen = await seenOf(plan.phase);
    const followed = isFollowed ? followedOf(await Promise.all(events)) : undefined;
    acknowledged += seen.result.accepted;
    const audit = acknowledged === 0 ? undefined : await audited(plan, system, idsFile, acknowledged);
    return makeReport(plan, seen, { system, followed, audit, filled });
  } finally {
    await load.close();
  }
}

function warmUpOf({ domain, phase, warmUpSeconds }: BenchPlan): Phase | undefined {
  if (phase.model === "source") {
    const run = workloadOf(domain).source?.runs[phase.run];
    return run?.warmUp === undefined ? undefined : { ...phase, warmUp: true };
  }
  return warmUpSeconds > 0 ? { ...phase, until: { seconds: warmUpSeconds } } : undefined;
}

/** Runs a load and observes the system until it has drained. */
async function runPhase(plan: BenchPlan, system: System, run: () => Promise<PhaseResult>): Promise<Seen> {
  const { domain, say } = plan;
  const { stores } = designOf(plan.design);
  const before = await readCounters(system);
  const watch = startWatch(system, plan);
  const readingBefore = readMachine();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const result = await run();
  const clientCpu = process.cpuUsage(cpuBefore);
  const hops = stores === "writer" ? await readHops(system.urls[0] ?? "") : [];
  const { accepted, seconds, sendingSeconds } = result;
  let whenDrained: Drained | undefined;
  if (stores === "writer") {
    const unknown = result.sent - accepted - result.read;
    const sentAt = startedAt + sendingSeconds * 1000;
    whenDrained = await drained(system, domain, { before, accepted, unknown, sentAt, series: watch.observations, say });
  } else if (stores === "gateway") {
    // In these designs the row and its rankings exist before the response. The audit finds a missing one.
    const stored = { at: startedAt + seconds * 1000, events: accepted };
    whenDrained = { stored, ranked: stored };
  }
  await watch.stop();
  return {
    result,
    observations: watch.observations,
    hops,
    drained: whenDrained,
    startedAt,
    clientCpuSeconds: (clientCpu.user + clientCpu.system) / 1e6,
    // Until all is ranked: other work in the drain lowers the rate as well.
    readings: [readingBefore, readMachine()],
  };
}

/** `acknowledged`: the number of 2xx, with or without an event id. */
async function audited(
  plan: BenchPlan,
  system: System,
  idsFile: string,
  acknowledged: number,
): Promise<AuditReport | undefined> {
  const { stores } = designOf(plan.design);
  if (stores === "nothing") return undefined;
  plan.say("auditing");
  // Without a ledger the lag of the replica is unknown, and waiting does not remove differences.
  const how = stores === "writer" ? ["--wait", "300"] : ["--wait", "5", "--endpoint", "write"];
  const args = ["audit", "--json", ...how, "--acknowledged", idsFile];
  // How far it is, and what it waits for. Its result has no such line.
  const onLine = (line: string): void => void (line.startsWith("tally: ") && plan.say(line.replace("tally: ", "")));
  const { output, errors } = await runTally(system.root, system.environment, args, { signal: plan.signal, onLine });
  if (output === "") throw new Error(`the audit wrote no report: ${errors}`);
  const report: AuditReport = JSON.parse(output);
  if (report.underWay.length > 0) plan.say(`not drained, still under way: ${report.underWay.join("; ")}`);
  const unnamed = acknowledged - (await stat(idsFile)).size / idBytes;
  if (unnamed > 0) plan.say(`${unnamed} of ${acknowledged} 2xx responses had no event id: these events count as lost`);
  return withUnnamed(report, unnamed);
}
