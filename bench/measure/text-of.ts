import { disturbanceText } from "./machine/disturbance.ts";
import type { Latency, Spans } from "./latency.ts";
import { millionsTable } from "./per-million.ts";
import { remarksOn, type Report } from "./report.ts";

const unknown = "unknown";

export function textOf(report: Report): string {
  const { accepted, stored, ranked, reads, errors, queue, followed, audit, disturbance, littlesLaw, client } = report;
  const lines = [
    headOf(report),
    `repeat with: ${report.repeat}`,
    `${report.machine}; ${Object.entries(report.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}; commit ${report.commit}`,
    `run ${report.runId}, ${report.at}`,
    `a 2xx means: ${report.meaning}`,
    "",
    row("accepted", `${accepted.perSecond}/s`, `${accepted.events} in ${report.seconds} s`),
    row("stored", perSecond(stored.perSecond)),
    row(
      "ranked",
      perSecond(ranked.perSecond),
      report.drainSeconds === null ? "" : `drained after ${report.drainSeconds} s`,
    ),
    row("latency ms", ...latencyCells(report.latencyMs)),
    reads.requests > 0 &&
      row(
        "reads",
        `${reads.perSecond}/s`,
        `${reads.requests} in ${report.seconds} s, ${errors.ofReads} failed`,
        ...latencyCells(reads.latencyMs),
      ),
    row("to stored ms", ...spanCells(report.eventToStoredMs)),
    row("to ranked ms", ...spanCells(report.eventToRankedMs)),
    report.hops.length > 0 &&
      row("p50/p99 ms of", ...report.hops.map(({ name, p50Ms, p99Ms }) => `${name} ${p50Ms}/${p99Ms}`)),
    followed !== null &&
      row(
        "followed",
        `${followed.events} events`,
        `${followed.neverStored} not stored and ${followed.neverRanked} not ranked within a minute`,
      ),
    row(
      "responses",
      `${report.sent} sent`,
      JSON.stringify(report.statuses).replaceAll('"', ""),
      `${errors.timeouts} timed out, ${errors.connections} connections broken, ${errors.unanswered} without a response, ${errors.retries} retries`,
    ),
    ...report.groups.map(({ name, connections, begun, ended }) =>
      row(name, `${connections} connections`, `from ${begun.toFixed(1)} to ${ended.toFixed(1)} s`),
    ),
    report.scaled !== undefined && row("gateways", scaledText(report.scaled)),
    row("queues", `at most ${queue.max} messages`),
    row("CPU µs/event", ...tierCells(report.cpuUsPerEvent)),
    row("memory MiB", ...tierCells(report.memoryMiB)),
    row("client", `busy ${Math.round(client.busy * 100)} %`, `loop delay p99 ${client.delayP99Ms} ms`),
    row("machine", disturbanceText(disturbance)),
    littlesLaw.expectedPerSecond !== null &&
      row("Little's law", `${littlesLaw.expectedPerSecond}/s expected`, `error ${littlesLaw.errorPercent} %`),
    audit === null
      ? row("audit", "not available for this design")
      : row(
          "audit",
          `acknowledged ${audit.acknowledged}, stored ${audit.stored}, ranked ${audit.ranked ?? unknown}`,
          `lost ${audit.lost}, doubled ${audit.doubled}`,
          report.boardsHash === null ? "no rankings" : `boards ${report.boardsHash}`,
          audit.ranked === null ? "(no ledger: compared ids, rows and, if any, boards only)" : "",
        ),
    ...millionsTable(report.perMillion),
    ...remarksOn(report).map((remark) => `\n${remark}`),
  ];
  return lines.filter((line) => typeof line === "string").join("\n");
}

/** "1, 2 from 12 s, 1 from 80 s" */
export function scaledText(scaled: NonNullable<Report["scaled"]>): string {
  return scaled.map(({ seconds, gateways }) => (seconds === 0 ? gateways : `${gateways} from ${seconds} s`)).join(", ");
}

function headOf({ domain, design, durability, connections, source, model, offeredPerSecond }: Report): string {
  const load =
    source === null
      ? `${model} model${offeredPerSecond === null ? "" : ` at ${offeredPerSecond}/s`}`
      : `${source.name}, ${source.description} (run ${source.run} of ${source.runs}), scale ${source.scale}`;
  return `${domain}, ${design}, ${durability}, ${load}, ${connections} connections`;
}

function row(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(14)}${cells.filter((cell) => cell !== "").join("  ")}`;
}

function perSecond(value: number | null): string {
  return value === null ? unknown : `${value}/s`;
}

function latencyCells(latency: Latency | null): readonly string[] {
  if (latency === null) return [unknown];
  return Object.entries(latency).map(([name, ms]: readonly [string, number]) => `${name} ${ms.toFixed(1)}`);
}

function tierCells(figures: Readonly<Record<string, number | null>>): readonly string[] {
  const known = Object.entries(figures).filter(([, value]) => value !== null);
  return known.length === 0 ? [unknown] : known.map(([tier, value]) => `${tier} ${value}`);
}

function spanCells(spans: Spans | null): readonly string[] {
  if (spans === null) return [unknown];
  return [`p50 ${spans.p50}`, `p99 ${spans.p99}`, `max ${spans.max}`, `(${spans.samples} events)`];
}
