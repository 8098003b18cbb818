import { setTimeout as delay } from "node:timers/promises";
import { audit, type AuditReport, type DomainAudit, type IdSet } from "@tally/reconcile";
import type { Domain } from "@tally/pipeline";
import { Command, InvalidArgumentError, Option } from "commander";
import { domainsNamed, openSystem, type System } from "../open-system.ts";
import { Progress } from "../progress.ts";
import { readIds } from "./read-ids.ts";
import { reportOf, textOf } from "./report.ts";
import { waitUntilDrained } from "./wait-until-drained.ts";

interface AuditFlags {
  readonly domain?: string[];
  readonly endpoint: "read" | "write";
  readonly acknowledged?: string;
  readonly wait: number;
  readonly json?: boolean;
}

const againAfterMs = 2000;
const stableForSeconds = 15;

/** tally audit: exit status 0 when all agrees, 1 when not, 3 when something is still under way. */
export function auditCommand(): Command {
  return new Command("audit")
    .description("proves that acknowledged = stored = ranked: ledger, rows, marks and every cell of every board")
    .option("--domain <name...>", "only these domains")
    .addOption(
      new Option("--endpoint <which>", "which of the database's endpoints is read")
        .choices(["read", "write"])
        .default("read"),
    )
    .option(
      "--acknowledged <file>",
      "ids that clients were answered 2xx for, one a line: each must be stored exactly once",
    )
    .option("--wait <seconds>", "how long to wait for what is under way", seconds, 60)
    .option("--json", "the report as JSON")
    .addHelpText(
      "after",
      "\nExit status: 0 all agrees, 1 something differs, 2 wrong usage, 3 something is still under way.",
    )
    .action(async (flags: AuditFlags) => {
      const chosen = domainsNamed(flags.domain);
      const system = await openSystem();
      try {
        const report = await auditSystem(system, chosen, flags);
        process.stdout.write(flags.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : textOf(report));
        process.exitCode = report.underWay.length > 0 ? 3 : report.agrees ? 0 : 1;
      } finally {
        await system.close();
      }
    });
}

async function auditSystem(system: System, chosen: readonly Domain[], flags: AuditFlags): Promise<AuditReport> {
  const begunAt = performance.now();
  let differs = { as: "", since: 0 };
  for (;;) {
    const acknowledged = flags.acknowledged === undefined ? undefined : await readIds(flags.acknowledged);
    const underWay = await waitUntilDrained(system, chosen, flags.endpoint, flags.wait * 1000);
    const waitedAt = performance.now();
    const audits = underWay.length > 0 ? [] : await auditAll(system, chosen, flags.endpoint, acknowledged);
    const report = reportOf({
      endpoint: flags.endpoint,
      underWay,
      audits,
      acknowledged,
      waitedSeconds: (waitedAt - begunAt) / 1000,
      seconds: (performance.now() - waitedAt) / 1000,
    });
    if (report.agrees || underWay.length > 0) return report;
    // What a consumer holds cannot be seen, and a ranker mends what was missed within 12 s: only a difference that stays the same is one.
    const as = JSON.stringify(report.audit);
    if (as !== differs.as) differs = { as, since: waitedAt };
    if (performance.now() - differs.since > Math.min(flags.wait, stableForSeconds) * 1000) return report;
    await delay(againAfterMs);
  }
}

async function auditAll(
  { database, rankings }: System,
  chosen: readonly Domain[],
  endpoint: "read" | "write",
  acknowledged: IdSet | undefined,
): Promise<readonly DomainAudit[]> {
  const progress = new Progress();
  const audits: DomainAudit[] = [];
  try {
    for (const domain of chosen) {
      audits.push(
        await audit({
          domain,
          database,
          rankings,
          endpoint,
          ...(acknowledged === undefined ? {} : { acknowledged }),
          onProgress: ({ step, done, total }) => progress.show(`${domain.name}: ${step}`, done, total),
        }),
      );
    }
    return audits;
  } finally {
    progress.end();
  }
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError("expected a number of seconds");
  return value;
}
