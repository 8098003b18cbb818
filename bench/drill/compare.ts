import { decodeEvent, type Domain, type Event } from "@tally/contract";
import { type Database, listLetters } from "@tally/database";
import { runTally } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import type { Letters } from "./kinds/fault-kind.ts";
import { fingerprintOfEvent, idsFile, readContents } from "./load/acknowledged-files.ts";
import type { Totals } from "./load/sender.ts";
import type { System } from "./system.ts";

/** Runs `tally audit` as a process, with the ids that were acknowledged. */
export async function runAudit(system: System, directory: string): Promise<AuditReport> {
  return await runAdmin(system, ["audit", "--json", "--wait", "300", "--acknowledged", idsFile(directory)]);
}

export async function countDeadLetters(system: System): Promise<Letters> {
  const args = ["dead-letters", "list", "--json", "--limit", "100000"];
  const letters: readonly { readonly stage: string }[] = await runAdmin(system, args);
  const count = (...stages: readonly string[]): number => letters.filter(({ stage }) => stages.includes(stage)).length;
  return { events: count("event"), messages: count("message", "delivery") };
}

async function runAdmin({ root, environment }: System, args: readonly string[]) {
  const { output, errors } = await runTally(root, environment, args);
  if (output === "") throw new Error(`tally ${args.join(" ")} printed nothing: ${errors}`);
  return JSON.parse(output);
}

/** Where the load, the audit and the dead letters contradict each other: one sentence for each. */
export function differences(load: Totals, audited: AuditReport, injected: Letters, kept: Letters): readonly string[] {
  const { agrees, audit, underWay } = audited;
  const { unacknowledged = 0 } = audit;
  const found: string[] = underWay.map((what) => `still under way: ${what}`);
  if (!agrees) found.push("the audit found differences");
  if (unacknowledged > load.unknown) {
    found.push(`${unacknowledged} unacknowledged rows, but only ${load.unknown} requests without a response`);
  }
  if (unacknowledged === 0 && audit.lost === 0) found.push(...unitsThatDiffer(load, audited));
  if (load.otherIds > 0) found.push(`${load.otherIds} repetitions got another id than their event`);
  if (load.rejected > 0) found.push(`${load.rejected} requests were rejected, the first with ${load.firstRejection}`);
  for (const stage of ["events", "messages"] as const) {
    if (injected[stage] !== kept[stage])
      found.push(`stage ${stage}: ${injected[stage]} injected, ${kept[stage]} dead letters`);
  }
  return found;
}

function unitsThatDiffer(load: Totals, { domains }: AuditReport): readonly string[] {
  return domains.flatMap(({ domain, boards: { units } }) => {
    const expected = load.domains.find((one) => one.domain === domain)?.units;
    if (expected === undefined || expected === units) return [];
    return [`the rows of ${domain} add up to ${units} units, the acknowledged events to ${expected}`];
  });
}

// Images of the drill are small, so the rows of one read are too.
const idsPerRead = 500;
const lettersMax = 1_000_000;

/** Compares the content of every acknowledged event with its row and the dead letters; the audit counts events without
 * a row. Takes about 1 s for 50,000 events. `firstWrong`: "<domain> <event id>". */
export async function checkContents({ writer }: Database, directory: string, domains: readonly Domain[]) {
  let checked = 0;
  const wrong: string[] = [];
  for (const domain of domains) {
    const contents = await readContents(directory, domain.name);
    const letters = await listLetters(writer, { domain: domain.name, stage: "conflict" }, lettersMax);
    const kept = new Set(
      letters.map(({ messageId, body }) => {
        // The body of a letter of this stage is an event.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return `${messageId} ${fingerprintOfEvent(domain, decodeEvent(body) as Event)}`;
      }),
    );
    const ids = [...contents.keys()];
    for (let at = 0; at < ids.length; at += idsPerRead) {
      for (const event of await domain.store.read(writer, ids.slice(at, at + idsPerRead))) {
        const stored = fingerprintOfEvent(domain, event);
        for (const acknowledged of contents.get(event.id) ?? []) {
          checked++;
          if (acknowledged !== stored && !kept.has(`${event.id} ${acknowledged}`))
            wrong.push(`${domain.name} ${event.id}`);
        }
      }
    }
  }
  return { checked, wrong: wrong.length, firstWrong: wrong[0] };
}
