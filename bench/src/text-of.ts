import type { Latency, Report, Spans } from "./report.ts";

const unknown = "not known";

/** A report for a person. */
export function textOf(report: Report): string {
  const { accepted, stored, ranked, latencyMs, reads, errors, queue, followed, audit } = report;
  const lines = [
    headOf(report),
    askedLine(report),
    `repeat with: ${report.repeat}`,
    `${report.machine}; ${Object.entries(report.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}; commit ${report.commit}`,
    `run ${report.runId}, ${report.at}, ${report.mode}`,
    "",
    row("accepted", `${accepted.perSecond}/s`, `${accepted.events} in ${report.seconds} s`),
    row("stored", perSecond(stored.perSecond)),
    row(
      "ranked",
      perSecond(ranked.perSecond),
      report.drainSeconds === null ? "" : `drained after ${report.drainSeconds} s`,
    ),
    row("latency ms", ...latencyCells(latencyMs)),
    ...(reads.requests > 0
      ? [row("reads", `${reads.perSecond}/s`, ...latencyCells(reads.latencyMs)), byMethod(report)]
      : []),
    row("to stored ms", ...spanCells(report.eventToStoredMs)),
    row("to ranked ms", ...spanCells(report.eventToRankedMs)),
    ...(followed === null
      ? []
      : [
          row(
            "followed",
            `${followed.events} events`,
            `within a minute ${followed.neverStored} not found stored, ${followed.neverRanked} not found ranked`,
          ),
        ]),
    row(
      "answers",
      `${report.sent} sent`,
      JSON.stringify(report.statuses).replaceAll('"', ""),
      `${errors.timeouts} timed out, ${errors.connections} connections broken, ${errors.unanswered} never answered, ${errors.retries} sent again`,
    ),
    ...report.groups.map(({ name, connections, begun, ended }) =>
      row(name, `${connections} connections`, `from ${begun.toFixed(1)} to ${ended.toFixed(1)} s`),
    ),
    row("queues", queue.max === null ? unknown : `at most ${queue.max} messages`, queue.verdict ?? ""),
    row("CPU µs/event", ...tierCells(report.cpuUsPerEvent)),
    row("CPU s", ...tierCells(report.cpuSeconds)),
    row("memory MiB", ...tierCells(report.memoryMiB)),
    row("client", `busy ${Math.round(report.client.busy * 100)} %`, `loop delay p99 ${report.client.delayP99Ms} ms`),
    ...(report.littlesLaw.errorPercent === null
      ? []
      : [
          row(
            "Little's law",
            `${report.littlesLaw.expectedPerSecond}/s expected`,
            `${report.littlesLaw.errorPercent} % off`,
          ),
        ]),
    audit === null
      ? row("audit", "not of this design or target")
      : row(
          "audit",
          `acknowledged ${audit.acknowledged}, stored ${audit.stored}, ranked ${audit.ranked ?? unknown}`,
          `lost ${audit.lost}, doubled ${audit.doubled}`,
          report.boardsHash === null ? "no rankings" : `boards ${report.boardsHash}`,
          audit.ranked === null
            ? "(no ledger: ids and rows, and boards if there are any, are all that was compared)"
            : "",
        ),
  ];
  if (queue.verdict === "full")
    lines.push("", "A queue was full: what came then was refused, so accepted tells how fast it was emptied.");
  if (report.client.isLimit)
    lines.push(
      "",
      "The client was the limit: its thread was never idle, or late by half of the p99 itself. More --client-threads, or another machine for it.",
    );
  return lines.join("\n");
}

/** What ran, in a line. */
export function headOf({ domain, design, durability, connections, source, model, offeredPerSecond }: Report): string {
  const load =
    source === null
      ? `${model} model${offeredPerSecond === null ? "" : ` at ${offeredPerSecond}/s`}`
      : `${source.name}, ${source.says} (run ${source.run} of ${source.runs}), scale ${source.scale}`;
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

/** POSTs and GETs apart. */
function byMethod({ accepted, reads, errors }: Report): string {
  const failed = errors.non2xx + errors.timeouts + errors.connections;
  return row(
    "successes",
    `POST ${accepted.events}, ${failed - errors.ofReads} failed`,
    `GET ${reads.requests}, ${errors.ofReads} failed`,
  );
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
