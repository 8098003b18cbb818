import type { Report } from "../report.ts";

/** One of the figures at the head of a page. */
export interface HeadFigure {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly isGood?: boolean;
}

/** The figures that a reader looks for first: whether all is kept, how much, how fast, at what cost. Omits unknown ones. */
export function headFigures(report: Report): readonly HeadFigure[] {
  const { accepted, stored, ranked, reads, latencyMs, eventToRankedMs, cpuUsPerEvent, drainSeconds } = report;
  const all: readonly (HeadFigure | undefined)[] = [
    kept(report),
    { name: "Accepted", value: rate(accepted.perSecond), note: `${count(accepted.events)} in ${report.seconds} s` },
    stored.perSecond === null ? undefined : { name: "Stored", value: rate(stored.perSecond), note: "rows in MySQL" },
    ranked.perSecond === null
      ? undefined
      : {
          name: "Ranked",
          value: rate(ranked.perSecond),
          note: drainSeconds === null ? "" : `drained after ${drainSeconds} s`,
        },
    reads.requests === 0
      ? undefined
      : { name: "Reads", value: rate(reads.perSecond), note: `p99 ${ms(reads.latencyMs?.p99)}` },
    latencyMs === null
      ? undefined
      : { name: "Latency p99", value: ms(latencyMs.p99), note: `p50 ${ms(latencyMs.p50)}` },
    eventToRankedMs === null
      ? undefined
      : { name: "Sent to ranked, p99", value: ms(eventToRankedMs.p99), note: `p50 ${ms(eventToRankedMs.p50)}` },
    cpuUsPerEvent.total === null
      ? undefined
      : { name: "CPU per event", value: `${cpuUsPerEvent.total} µs`, note: "all tiers, without the client" },
    machine(report),
    failures(report),
  ];
  return all.filter((one) => one !== undefined);
}

function kept({ audit, agrees }: Report): HeadFigure {
  if (audit === null) return { name: "Audit", value: "none", note: "not available for this design or target" };
  const { lost, doubled, acknowledged } = audit;
  const isGood = lost + doubled === 0 && agrees !== false;
  const note = agrees === false ? "rankings and rows differ" : `of ${count(acknowledged)} acknowledged`;
  return { name: "Lost, doubled", value: `${count(lost)}, ${count(doubled)}`, note, isGood };
}

function failures({ errors, sent }: Report): HeadFigure {
  const failed = errors.non2xx + errors.timeouts + errors.connections;
  return {
    name: "Failed requests",
    value: count(failed),
    note: `of ${count(sent)} sent`,
    ...(failed > 0 && { isGood: false }),
  };
}

function machine({ disturbance }: Report): HeadFigure | undefined {
  if (disturbance === undefined) return undefined;
  const { foreign, steal, isDisturbed } = disturbance;
  const percent = (part: { readonly percent: number } | null): string =>
    part === null ? "unknown" : `${part.percent} %`;
  return {
    name: "Foreign CPU, steal",
    value: `${percent(foreign)}, ${percent(steal)}`,
    note: isDisturbed === true ? "the run was disturbed" : "of the machine's CPU time",
    ...(isDisturbed === true && { isGood: false }),
  };
}

const count = (value: number): string => value.toLocaleString("en");
const rate = (value: number): string => `${count(value)}/s`;
const ms = (value: number | undefined): string => (value === undefined ? "unknown" : `${value.toFixed(1)} ms`);
