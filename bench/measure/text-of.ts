import { disturbedAbovePercent } from "./machine/disturbance.ts";
import { calibrationText, disturbanceText } from "./machine/disturbed-text.ts";
import type { PhaseFigures } from "./phase-figures.ts";
import type { Latency, Report, Spans } from "./report.ts";

const unknown = "unknown";

/** A report as text for people. */
export function textOf(report: Report): string {
  const { accepted, stored, ranked, latencyMs, reads, errors, queue, followed, audit, littlesLaw, disturbance } =
    report;
  const lines = [
    headOf(report),
    askedLine(report),
    `repeat with: ${report.repeat}`,
    `${report.machine}; ${Object.entries(report.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}; commit ${report.commit}`,
    `run ${report.runId}, ${report.at}, ${report.mode}`,
    `a 2xx means: ${report.meaning ?? unknown}`,
    "",
    row("accepted", `${accepted.perSecond}/s`, `${accepted.events} in ${report.seconds} s`),
    row("stored", perSecond(stored.perSecond)),
    row(
      "ranked",
      perSecond(ranked.perSecond),
      report.drainSeconds === null ? "" : `drained after ${report.drainSeconds} s`,
    ),
    row("latency ms", ...latencyCells(latencyMs)),
    reads.requests > 0 && row("reads", `${reads.perSecond}/s`, ...latencyCells(reads.latencyMs)),
    reads.requests > 0 && byMethod(report),
    report.subscriber !== undefined &&
      row("third queue", `${report.subscriber.received} batches received, ${report.subscriber.stored} stored`),
    row("to stored ms", ...spanCells(report.eventToStoredMs)),
    row("to ranked ms", ...spanCells(report.eventToRankedMs)),
    followed !== null &&
      row(
        "followed",
        `${followed.events} events`,
        `${followed.neverStored} not stored and ${followed.neverRanked} not ranked within a minute`,
      ),
    ...report.hops.map(({ name, batches, p50Ms, p99Ms }) =>
      row("hop ms", name, `p50 ${p50Ms}`, `p99 ${p99Ms}`, `${batches} batches`),
    ),
    row(
      "responses",
      `${report.sent} sent`,
      JSON.stringify(report.statuses).replaceAll('"', ""),
      `${errors.timeouts} timed out, ${errors.connections} connections broken, ${errors.unanswered} without a response, ${errors.retries} retries`,
    ),
    ...phaseRows(report),
    report.requestLog && row("requests", ...logCells(report.requestLog)),
    row("queues", queue.max === null ? unknown : `at most ${queue.max} messages`, queue.verdict ?? ""),
    row("CPU µs/event", ...tierCells(report.cpuUsPerEvent)),
    row("CPU s", ...tierCells(report.cpuSeconds)),
    row("memory MiB", ...tierCells(report.memoryMiB)),
    row("client", `busy ${Math.round(report.client.busy * 100)} %`, `loop delay p99 ${report.client.delayP99Ms} ms`),
    disturbance !== undefined && row("machine", disturbanceText(disturbance)),
    disturbance !== undefined && row("calibration", calibrationText(disturbance)),
    littlesLaw.errorPercent !== null &&
      row("Little's law", `${littlesLaw.expectedPerSecond}/s expected`, `${littlesLaw.errorPercent} % off`),
    audit === null
      ? row("audit", "not available for this design or target")
      : row(
          "audit",
          `acknowledged ${audit.acknowledged}, stored ${audit.stored}, ranked ${audit.ranked ?? unknown}`,
          `lost ${audit.lost}, doubled ${audit.doubled}`,
          report.boardsHash === null ? "no rankings" : `boards ${report.boardsHash}`,
          audit.ranked === null ? "(no ledger: compared ids, rows and, if any, boards only)" : "",
        ),
    ...warningsOf(report),
  ];
  return lines.filter((line) => typeof line === "string").join("\n");
}

/** What limits the meaning of the figures. */
function warningsOf({ disturbance, queue, client }: Report): readonly (string | false)[] {
  return [
    disturbance?.isDisturbed === true &&
      `\nThe run was disturbed: ${disturbanceText(disturbance)}. Above ${disturbedAbovePercent} % together, its figures are not those of an idle machine.`,
    queue.verdict === "full" &&
      "\nA queue was full and rejected messages: the accepted rate is the rate at which it was emptied.",
    client.isLimit &&
      "\nThe client was the bottleneck: its thread was never idle, or its own delay was half of the p99. Use more --client-threads or another machine.",
  ];
}

/** The run in one line. */
export function headOf({ domain, design, durability, connections, source, ...report }: Report): string {
  const { model, offeredPerSecond } = report;
  const load =
    source === null
      ? `${model} model${offeredPerSecond === null ? "" : ` at ${offeredPerSecond}/s`}`
      : `${source.name}, ${source.description} (run ${source.run} of ${source.runs}), scale ${source.scale}`;
  return `${domain}, ${design}, ${durability}, ${load}, ${connections} connections`;
}

function askedLine({ asked, warmUpSeconds, readShare, contentBytes, ...report }: Report): string {
  const cells = [
    asked === null ? "" : "amount" in asked ? `${asked.amount} requests` : `${asked.seconds} s`,
    report.fill === null ? "" : `fill ${report.fill.asked} (${report.fill.accepted} accepted)`,
    warmUpSeconds === null ? "" : `warm-up ${warmUpSeconds} s`,
    report.source === null ? `mix ${readShare}` : "",
    contentBytes === null ? "" : `content ${contentBytes} bytes`,
    `seed ${report.seed}`,
    report.spread,
    report.gateways === null ? "" : `gateways ${report.gateways}`,
    `client threads ${report.clientThreads}`,
    ...Object.entries(report.settings).map(([name, value]) => `${name}=${value}`),
  ];
  return `asked: ${cells.filter((cell) => cell !== "").join(", ")}`;
}

function row(name: string, ...cells: readonly string[]): string {
  return `${name.padEnd(14)}${cells.filter((cell) => cell !== "").join("  ")}`;
}

/** POSTs and GETs separately. */
function byMethod({ accepted, reads, errors }: Report): string {
  const failed = errors.non2xx + errors.timeouts + errors.connections;
  return row(
    "successes",
    `POST ${accepted.events}, ${failed - errors.ofReads} failed`,
    `GET ${reads.requests}, ${errors.ofReads} failed`,
  );
}

/** The phases of a run with several. A run with one has its figures in other rows. */
function phaseRows({ phases, groups }: Report): readonly string[] {
  const loads = phases.filter(({ name }) => name !== "drain");
  return [...(loads.length + groups.length > 1 ? loads : []), ...groups].map((phase) => {
    const { name, begun, ended, figures } = phase;
    const connections = figures?.connections ?? ("connections" in phase ? phase.connections : undefined);
    return row(
      name,
      connections === undefined ? "" : `${connections} connections`,
      `from ${begun.toFixed(1)} to ${ended.toFixed(1)} s`,
      ...(figures === undefined ? [] : phaseCells(figures)),
    );
  });
}

function phaseCells({ perSecond: rate, latencyMs, littlesLaw }: PhaseFigures): readonly string[] {
  const { expectedPerSecond, errorPercent } = littlesLaw;
  return [
    `${rate}/s`,
    ...latencyCells(latencyMs),
    expectedPerSecond === null ? "" : `Little's law ${expectedPerSecond}/s`,
    errorPercent === null ? "" : `${errorPercent} % off`,
  ];
}

function logCells({ file, lines, leftOut, failure }: NonNullable<Report["requestLog"]>): readonly string[] {
  const why = failure ?? "the disk was slower than the load";
  return [`${lines} lines in ${file}`, leftOut === 0 ? "" : `${leftOut} requests left out: ${why}`];
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
