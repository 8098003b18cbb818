import { join, resolve } from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import { reasonOf } from "@tally/runtime";
import { lockDirectory } from "@tally/local";
import type { BenchPlan } from "../bench-plan.ts";
import { commitOf } from "../commit-of.ts";
import { quoted } from "../repeat.ts";
import { isGood, type Report } from "../report.ts";
import { runBench } from "../run-bench.ts";
import { jsonOf } from "../stored-reports.ts";
import { choiceOf, withBest } from "../sweep/best-setting.ts";
import { checkComparable, readSweepResult, slowerSettings, sweepRatios } from "../sweep/compare-sweeps.ts";
import { nameOf, pointsOf, settingsOf, type Point } from "../sweep/dimensions.ts";
import { orderOfRound } from "../sweep/order-of-rounds.ts";
import { sweepPage } from "../sweep/sweep-page.ts";
import {
  fileOf,
  makeSweepFolder,
  readSweep,
  storedTurn,
  storeResult,
  storeSweep,
  storeTurn,
  type Sweep,
  type Turn,
} from "../sweep/sweep-folder.ts";
import { resultOf, type EndedTurn, type SweepResult } from "../sweep/sweep-result.ts";
import { tableOf } from "../sweep/sweep-table.ts";
import { throughputFigure } from "../throughput.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, refuseExcluded, refuseOthers, type Asked } from "./asked.ts";
import { root } from "./flags.ts";
import { makeResults, refuseSameFiles, writeOutputs } from "./outputs.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";
import type { SweepFlags } from "./sweep-flags.ts";

/** Runs what is missing of a sweep, each run on a fresh system or on the target, and prints its table. Every run is stored as soon as it ends. */
export async function runSweep(asked: Asked<SweepFlags>, signal: AbortSignal): Promise<void> {
  const { isGiven } = asked;
  refuse(asked, ["csv", "cdfCsv", "requestsCsv"], "needs a single run; a sweep stores all its runs");
  refuse(asked, ["source", "scale"], "cannot be combined with sweep: a source sets its own load");
  const { resume } = asked.flags;
  const sweep = resume === undefined ? newSweep(asked) : await resumed(resume, asked);
  const flags = { ...asked.flags, ...judgement(sweep, asked) };
  if (flags.compare === undefined) refuse(asked, ["failBelow"], "needs --compare");
  if (flags.withinP99 === undefined) refuse(asked, ["within"], "needs --within-p99");
  const points = pointsOf(sweep.dimensions);
  // All plans before the first run, so that an error in the last is reported at once.
  const plans = points.map((point) => ({ point, plan: planAt(sweep, point, signal) }));
  const before = flags.compare === undefined ? undefined : await storedResult(flags.compare);
  if (before !== undefined) checkComparable({ dimensions: sweep.dimensions, points }, before);

  await refuseSameFiles({ "--json": flags.json, "--html": flags.html }, { "--compare": flags.compare });
  if (resume === undefined) await makeResults(flags.results);
  const folder = resume ?? (await makeSweepFolder(flags.results, sweep));
  // Two processes would load the machine at the same time, and store different results.
  const unlock = await lockDirectory(folder);
  try {
    // More rounds than before.
    if (resume !== undefined && isGiven("rounds")) await storeSweep(folder, sweep);
    await measureSweep(sweep, { folder, points, plans, before, flags });
  } finally {
    await unlock();
  }
}

interface Measured {
  readonly folder: string;
  readonly points: readonly Point[];
  readonly plans: readonly { readonly point: Point; readonly plan: BenchPlan }[];
  readonly before: SweepResult | undefined;
  readonly flags: Pick<SweepFlags, "within" | "json" | "html"> & ReturnType<typeof judgement>;
}

async function measureSweep(sweep: Sweep, { folder, points, plans, before, flags }: Measured): Promise<void> {
  say(
    `${points.length} settings, rounds: ${sweep.rounds}; if it is interrupted, it goes on with\n  pnpm bench sweep --resume ${quoted(folder)}`,
  );
  const turns: EndedTurn[] = [];
  for (let round = 0; round < sweep.rounds; round++)
    for (const { point, plan } of orderOfRound(plans, round))
      turns.push(await ended(folder, sweep, { round, point }, plan));

  const figures = resultOf(sweep, points, turns);
  const limits = flags.withinP99 === undefined ? undefined : { withinP99Ms: flags.withinP99, within: flags.within };
  const choice = limits && choiceOf(figures, limits);
  const result = limits === undefined ? figures : withBest(figures, limits);
  say(`\n${tableOf(result)}`);
  if (choice !== undefined) say(`\n${choice}`);
  if (before !== undefined) compare(result, before, flags.failBelow);
  const page = (isStored: boolean): Promise<string> =>
    sweepPage(result, { choice, limitMs: flags.withinP99, turns: isStored ? turns : [] });
  await storeResult(folder, jsonOf(result), await page(true));
  say(`\nstored as ${join(folder, "result.json")}\npage with plots: ${join(folder, "page.html")}`);
  await writeOutputs([
    { flag: "--json", file: flags.json, content: () => jsonOf(result) },
    { flag: "--html", file: flags.html, content: () => page(false) },
  ]);
}

function newSweep(asked: Asked<SweepFlags>): Sweep {
  refuseExcluded(asked);
  const { connections, gateways, set, ...flags } = asked.flags;
  const texts = (values: readonly string[] | number) => (typeof values === "number" ? [String(values)] : values);
  const settings = settingsOf({ ...flags, connections: texts(connections), gateways: texts(gateways), set });
  const { dimensions, fixed } = settings;
  if (flags.target !== undefined && [...dimensions, ...fixed].some(({ variable }) => variable !== undefined))
    throw new WrongUsage("--target: a running system keeps its settings; only --connections can have several values");
  const words = process.argv.slice(2).map(quoted);
  // A resumed sweep may be started in another folder.
  const compared = flags.compare === undefined ? {} : { compare: resolve(flags.compare) };
  return {
    at: new Date().toISOString(),
    commit: commitOf(root),
    repeat: ["pnpm bench", ...words].join(" "),
    flags: { ...flags, ...compared },
    rounds: flags.rounds,
    ...settings,
  };
}

// They change no run. Every other flag is stored in the sweep.
const ofAnySweep = ["resume", "rounds", "withinP99", "within", "json", "html", "compare", "failBelow"] as const;

async function resumed(folder: string, asked: Asked<SweepFlags>): Promise<Sweep> {
  refuseOthers(asked, ofAnySweep, "cannot be combined with --resume: the sweep has its own");
  const sweep = await readSweep(folder);
  const commit = commitOf(root);
  if (commit !== sweep.commit)
    throw new WrongUsage(`--resume: the sweep measures commit ${sweep.commit}, this is ${commit}; start a new one`);
  if (!asked.isGiven("rounds")) return sweep;
  const { rounds } = asked.flags;
  if (rounds < sweep.rounds) throw new WrongUsage(`--rounds: the sweep has ${sweep.rounds}; expected at least as many`);
  if (rounds === sweep.rounds) return sweep;
  // The last value of a flag counts.
  return { ...sweep, rounds, repeat: `${sweep.repeat} --rounds ${rounds}` };
}

/** How its result is judged: as the command line says, and elsewhere as the sweep was started. */
function judgement({ flags: stored }: Pick<Sweep, "flags">, { flags, isGiven }: Asked<SweepFlags>) {
  return {
    withinP99: isGiven("withinP99") ? flags.withinP99 : stored.withinP99,
    within: isGiven("within") ? flags.within : (stored.within ?? flags.within),
    compare: isGiven("compare") ? flags.compare : stored.compare,
    failBelow: isGiven("failBelow") ? flags.failBelow : stored.failBelow,
  };
}

/** The plan of the runs with one setting. */
function planAt({ flags, dimensions, fixed }: Sweep, point: Point, signal: AbortSignal): BenchPlan {
  const chosen = dimensions.map(({ name, variable }, index) => ({ name, variable, value: point[index] ?? "" }));
  const all = [...fixed.map(({ name, variable, values }) => ({ name, variable, value: values[0] ?? "" })), ...chosen];
  const numberOf = (flag: "connections" | "gateways") => Number(all.find(({ name }) => name === flag)?.value);
  const set = all.flatMap(({ variable, value }) => (variable === undefined ? [] : [`${variable}=${value}`]));
  const plan = planOf({ ...flags, connections: numberOf("connections"), gateways: numberOf("gateways"), set }, signal);
  return { ...plan, say: () => undefined };
}

async function storedResult(file: string): Promise<SweepResult> {
  try {
    return await readSweepResult(file);
  } catch (error) {
    throw new WrongUsage(`--compare: ${reasonOf(error)}`, { cause: error });
  }
}

/** Measures and stores a run, or reads it where it has ended before. */
async function ended(folder: string, sweep: Sweep, turn: Turn, plan: BenchPlan): Promise<EndedTurn> {
  const stored = await storedTurn(folder, sweep, turn);
  if (stored !== undefined) checkTurn(folder, sweep, turn, { stored, plan });
  const report = stored ?? (await runBench(plan));
  if (stored === undefined) await storeTurn(folder, sweep, turn, report);
  if (!isGood(report)) process.exitCode = 1;
  const { name, of } = throughputFigure([report]);
  const p99 = (report.latencyMs ?? report.reads.latencyMs)?.p99.toFixed(1) ?? "unknown";
  const when = stored === undefined ? "" : ", measured before the interruption";
  say(
    `round ${turn.round + 1} of ${sweep.rounds}, ${nameOf(sweep.dimensions, turn.point)}: ${name} ${of(report) ?? "unknown"}, p99 ${p99} ms${when}`,
  );
  return { ...turn, report };
}

/** Throws a WrongUsage where a stored run is not of the setting that its name says. */
function checkTurn(
  folder: string,
  sweep: Sweep,
  turn: Turn,
  { stored, plan }: { readonly stored: Report; readonly plan: BenchPlan },
): void {
  const conditions = ({ commit, connections, gateways, seed, settings }: Pick<Report, CheckedConditions>) => ({
    commit,
    connections,
    // A target's are unknown.
    gateways: plan.target === undefined ? gateways : null,
    seed,
    settings,
  });
  const expected: Readonly<Record<string, unknown>> = conditions({ ...plan, commit: sweep.commit });
  for (const [name, got] of Object.entries(conditions(stored))) {
    if (isDeepStrictEqual(got, expected[name])) continue;
    const file = join(folder, `${fileOf(sweep.dimensions, turn)}.json`);
    const difference = `expected ${inspect(expected[name])}, got ${inspect(got)}`;
    throw new WrongUsage(`--resume: ${file}: ${name}: ${difference}; delete the file to measure it again`);
  }
}

type CheckedConditions = "commit" | "connections" | "gateways" | "seed" | "settings";

/** Prints the ratios to an earlier sweep. Exit status 1 for a setting below `failBelow`. */
function compare(result: SweepResult, before: SweepResult, failBelow: number | undefined): void {
  say(`\n${sweepRatios(result, before)}`);
  const failures = failBelow === undefined ? [] : slowerSettings(result, before, failBelow);
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of failures) say(failure);
}
