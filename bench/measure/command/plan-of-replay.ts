import { randomUUID } from "node:crypto";
import { domains } from "@tally/domains";
import type { BenchPlan } from "../bench-plan.ts";
import { spanMsOf, type ReplayPhase } from "../replay/replay-phase.ts";
import { scanReplay } from "../replay/scan-replay.ts";
import { WrongUsage } from "../wrong-usage.ts";
import { refuse, type Asked } from "./asked.ts";
import { planOf } from "./plan-of.ts";
import { say } from "./say.ts";

/** The plan of a replay. Reads the whole file once, so that nothing is started for a file with a bad line. Throws a WrongUsage. */
export async function planOfReplay(file: string, asked: Asked, signal: AbortSignal): Promise<BenchPlan> {
  refuse(
    asked,
    ["duration", "amount", "warmUp", "rate", "mix", "zipf", "contentBytes", "seed"],
    "cannot be combined with --replay, whose file has the events and their times",
  );
  refuse(asked, ["agents"], "cannot be combined with --replay, whose file is on this machine");
  const { replay: _file, speed, replayKeys: keys, ...flags } = asked.flags;
  const plan = planOf({ ...flags, speed, replayKeys: keys }, signal);
  const domain = domains.find(({ name }) => name === plan.domain);
  if (domain?.files === undefined) throw new WrongUsage(`--replay: events of ${plan.domain} cannot be exported`);
  say(`reading ${file}`);
  const found = await scanReplay(file, domain, keys);
  const phase: ReplayPhase = { model: "replay", file, speed, keys, id: randomUUID(), found, part: 0, parts: 1 };
  const seconds = Math.round(spanMsOf(found) / 1000);
  const untimed = found.lines - found.timed;
  say(
    `${found.lines} events of ${seconds} s, sent in ${Math.round(seconds / speed)} s${untimed === 0 ? "" : `; ${untimed} of them have no time in their id and are spread evenly`}`,
  );
  return { ...plan, phase, warmUpSeconds: 0 };
}
