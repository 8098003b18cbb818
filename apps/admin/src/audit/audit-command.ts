import { existsSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { bytesOfEventId, type Domain, isEventId } from "@tally/contract";
import {
  audit,
  type AuditReport,
  type DomainAudit,
  hasMirrored,
  IdSet,
  type KeptReading,
  lookAt,
  untilDrained,
} from "@tally/reconcile";
import { numberFlag } from "@tally/runtime/flag-values";
import { type Progress, withProgress } from "@tally/runtime/progress";
import type { Command } from "commander";
import { CommandError, usageError, exitCodes, newCommand } from "../command.ts";
import { type DomainsFlag, domainsFlag, domainsOf, type JsonFlag, jsonFlag, print, endpointFlag } from "../flags.ts";
import { writeCompleteFile } from "../export/export-events.ts";
import { stderr, withBroker, withServers, type Servers } from "../open-servers.ts";

interface AuditFlags extends DomainsFlag, JsonFlag {
  readonly endpoint: "read" | "write";
  readonly acknowledged?: string;
  readonly wait: number;
  readonly full?: true;
  readonly resume?: string;
  readonly live?: true;
}

const againAfterMs = 2000;
const stableForSeconds = 15;
const fromTwo = numberFlag("a number of seconds from 2 on", (value) => value >= 2); // drained: still for 1.5 s

/** tally audit */
export function auditCommand(): Command {
  return newCommand("audit", {
    1: "something differs",
    3: "nothing was compared: events are still under way, or a server does not respond",
  })
    .description("proves that acknowledged = stored = ranked: ledger, rows, marks and every cell of every board")
    .addOption(domainsFlag)
    .addOption(endpointFlag)
    .option(
      "--acknowledged <file>",
      "event ids that clients got a 2xx for, one a line: each must be stored exactly once",
    )
    .option("--full", "read the rows of all batches, also of those that are folded, and check the folded counts too")
    .option("--resume <file>", "with --full: keep in this file how far it is, and go on there if it was interrupted")
    .option("--live", "do not wait: compare beside traffic; what is stored and ranked meanwhile is no difference")
    .option("--wait <seconds>", "how long to wait until queues are empty and batches are ranked", fromTwo, 60)
    .addOption(jsonFlag)
    .action((flags: AuditFlags) => {
      const chosen = domainsOf(flags);
      if (flags.live === true && flags.acknowledged !== undefined)
        throw usageError("--live cannot be used with --acknowledged: acknowledged events may not be stored yet");
      if (flags.resume !== undefined && flags.full !== true)
        throw usageError("--resume needs --full: another audit does not read the rows again");
      // A file is removed at the end, so it must have been read.
      if (flags.resume !== undefined && !chosen.some(({ recount }) => hasMirrored(recount)))
        throw usageError("--resume needs the domain purchases: the rows of others are read in one go");
      return withServers(async (servers) => {
        const report = await withProgress((progress) => auditServers(servers, chosen, flags, progress));
        print(flags, report, textOf(report));
        process.exitCode =
          report.underWay.length > 0 ? exitCodes.unreachable : report.agrees ? exitCodes.ok : exitCodes.finding;
      });
    });
}

async function auditServers(
  servers: Servers,
  chosen: readonly Domain[],
  flags: AuditFlags,
  progress: Progress,
): Promise<AuditReport> {
  const startedAt = performance.now();
  let difference = { text: "", sinceMs: 0 };
  for (;;) {
    const acknowledged = flags.acknowledged === undefined ? undefined : await readIds(flags.acknowledged);
    const { endpoint, live: isLive } = flags;
    const underWay = isLive ? [] : await waitUntilDrained(servers, chosen, flags, progress);
    const waitedAt = performance.now();
    const audits = underWay.length > 0 ? [] : await auditAll(servers, chosen, flags, acknowledged, progress);
    const waitedSeconds = (waitedAt - startedAt) / 1000;
    const seconds = (performance.now() - waitedAt) / 1000;
    const report = reportOf({ endpoint, underWay, waitedSeconds, seconds }, audits, acknowledged);
    // A live audit has waited for what differs by itself.
    if (report.agrees || underWay.length > 0 || isLive) return report;
    // Batches that a consumer holds are invisible, and the ranker repairs missed ones within 12 s: only a stable
    // difference counts.
    const text = JSON.stringify(report.audit);
    if (text !== difference.text) difference = { text, sinceMs: performance.now() };
    if (performance.now() - difference.sinceMs > Math.min(flags.wait, stableForSeconds) * 1000) return report;
    progress.note("found differences; compares again until they are stable");
    await delay(againAfterMs);
  }
}

async function auditAll(
  { database, rankings }: Servers,
  chosen: readonly Domain[],
  { endpoint, full, live, resume }: AuditFlags,
  acknowledged: IdSet | undefined,
  progress: Progress,
): Promise<readonly DomainAudit[]> {
  const audits: DomainAudit[] = [];
  for (const domain of chosen) {
    audits.push(
      await audit({
        domain,
        database,
        rankings,
        endpoint,
        isFull: full === true,
        ...(resume !== undefined && { keptReading: keptIn(resume, progress) }),
        ...(live && { liveMs: stableForSeconds * 1000 }),
        ...(acknowledged === undefined ? {} : { acknowledged }),
        onProgress: ({ step, done, total }) => progress.show(`${domain.name}: ${step}`, done, total),
      }),
    );
  }
  if (resume !== undefined) await rm(resume, { force: true });
  progress.end();
  return audits;
}

/** How far an audit has read, in a file, which is complete or absent. */
function keptIn(file: string, progress: Progress): KeptReading {
  return {
    load: async () => (existsSync(file) ? readFile(file) : undefined),
    save: (state) => writeCompleteFile(file, async (stream) => void stream.write(state)),
    warn(text) {
      progress.end();
      stderr.write(`tally: --resume ${file}: ${text}\n`);
    },
  };
}

/** Reads a file of acknowledged event ids, one a line. About 1 s for a million. */
async function readIds(file: string): Promise<IdSet> {
  const handle = await open(file);
  const ids = new IdSet();
  let line = 0;
  for await (const text of handle.readLines()) {
    line++;
    const id = text.trim().toLowerCase();
    if (id === "") continue;
    if (!isEventId(id)) throw usageError(`${file}, line ${line}: expected an event id, got ${text.slice(0, 60)}`);
    ids.add(bytesOfEventId(id));
  }
  return ids;
}

/** Waits until nothing is under way. Returns what still is after the time of the flags. */
function waitUntilDrained(
  servers: Servers,
  domains: readonly Domain[],
  { endpoint, wait }: AuditFlags,
  progress: Progress,
): Promise<readonly string[]> {
  const { namespace } = servers.config;
  const withinMs = wait * 1000;
  const names = domains.map(({ name }) => name);
  return withBroker(servers, { name: "audit", domains: names, withinMs }, async (broker, fault) => {
    if (fault !== undefined) throw new CommandError(fault, exitCodes.unreachable);
    const queueDepth = (queue: string) => broker.queueDepth(queue);
    const onProgress = ([first]: readonly string[]) =>
      progress.note(first === undefined ? "nothing is under way" : `waits, because ${first}`);
    return untilDrained(lookAt({ ...servers, domains, namespace, queueDepth, endpoint }), { withinMs, onProgress });
  });
}

const shownMax = 100_000;
const printedMax = 10;

function reportOf(
  rest: Pick<AuditReport, "endpoint" | "underWay" | "waitedSeconds" | "seconds">,
  audits: readonly DomainAudit[],
  acknowledged: IdSet | undefined,
): AuditReport {
  const sum = (of: (audit: DomainAudit) => number): number => audits.reduce((total, one) => total + of(one), 0);
  const stored = sum((one) => one.batches.stored);
  const notStored: string[] = [];
  for (const id of acknowledged?.unticked() ?? []) if (notStored.push(id) === shownMax) break;
  const deadLetters = sum((one) => one.ids?.deadLetters ?? 0);
  const absent = acknowledged === undefined ? 0 : acknowledged.size - acknowledged.ticked;
  return {
    ...rest,
    agrees: rest.underWay.length === 0 && absent === 0 && audits.every((one) => one.agrees),
    audit: {
      acknowledged: acknowledged?.size ?? sum((one) => one.ledger.changes),
      stored,
      ranked: sum((one) => one.batches.ranked),
      lost: absent + sum((one) => one.boards.missing + Math.max(0, one.ledger.changes - one.batches.stored)),
      keyConflicts: sum((one) => one.keyConflicts.open),
      doubled: sum((one) => (one.ids?.doubled ?? 0) + one.boards.surplus),
      ...(acknowledged === undefined
        ? {}
        : { deadLetters, unacknowledged: stored + deadLetters - acknowledged.ticked }),
    },
    notStored,
    domains: audits,
  };
}

function textOf(report: AuditReport): string {
  if (report.underWay.length > 0) {
    return `still under way after ${report.waitedSeconds.toFixed(1)} s, nothing was compared (--live compares beside traffic):\n${lines(report.underWay)}`;
  }
  const { acknowledged, stored, ranked, lost, doubled } = report.audit;
  const { deadLetters = 0, unacknowledged = 0, keyConflicts = 0 } = report.audit;
  const verdict = report.agrees ? "acknowledged = stored = ranked" : "THEY DIFFER";
  const head = [
    `${verdict}: ${acknowledged} acknowledged, ${stored} stored, ${ranked} ranked, ${lost} lost, ${doubled} doubled`,
    ...(deadLetters === 0 ? [] : [`${deadLetters} acknowledged events are dead letters`]),
    ...(keyConflicts === 0
      ? []
      : [`${keyConflicts} acknowledged events used the key of another event: dead letters of stage conflict`]),
    ...(unacknowledged === 0 ? [] : [`${unacknowledged} stored events are not in the file`]),
  ];
  const each = report.domains.map(
    ({ domain, ledger, boards, series }) =>
      `  ${domain}: ${ledger.batches} batches, ${ledger.events} events (${ledger.refused} dead letters), ${boards.cells} cells on ${boards.boards} boards${series.length === 0 ? "" : ` (${series.join(", ")})`}`,
  );
  const took = `  read from the ${report.endpoint} endpoint in ${report.seconds.toFixed(1)} s`;
  return `${[...head, ...each, took].join("\n")}\n${lines(differences(report))}`;
}

function differences({ notStored, domains }: AuditReport): readonly string[] {
  return [
    ...notStored.slice(0, printedMax).map((id) => `acknowledged and not stored: ${id}`),
    ...domains.flatMap(({ domain, state, batches, boards, contradictions, ids }) => [
      ...(state.name === "dirty" ? [`${domain}: the rankings are dirty: ${state.reason}`] : []),
      ...batches.unmarked.first.map((batch) => `${domain}: batch ${batch} is stored and not ranked`),
      ...batches.miscounted.first.map(
        (one) => `${domain}: batch ${one.batch} has ${one.rows} rows, its ledger entry says ${one.ledger}`,
      ),
      ...(batches.unmarkedFolded > 0 ? [`${domain}: ${batches.unmarkedFolded} folded batches have no mark`] : []),
      ...(batches.strayMarks > 0 ? [`${domain}: ${batches.strayMarks} batches are ranked and not in the ledger`] : []),
      ...boards.differences.first.map(
        (one) => `${domain}: board ${one.board}, member ${one.member}: rows say ${one.rows}, the board ${one.ranked}`,
      ),
      ...contradictions.first.map((sentence) => `${domain}: ${sentence}`),
      ...((ids?.doubled ?? 0) > 0 ? [`${domain}: ${ids?.doubled} acknowledged ids are stored twice`] : []),
    ]),
  ];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}\n`).join("");
}
