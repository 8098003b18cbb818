import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeEvent, type Domain, type Event } from "@tally/contract";
import { type Database, listLetters } from "@tally/database";
import { runTally } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import type { Letters } from "./kinds/fault-kind.ts";
import { fingerprintOfEvent, readAcknowledged, readContents } from "./load/acknowledged-file.ts";
import type { Totals } from "./load/sender.ts";
import { idsOf, type LostCommits } from "./lost-commits.ts";
import type { System } from "./system.ts";

/** Runs `tally audit` as a process, with the ids that were acknowledged except those whose row or dead letter the
 * database lost. It waits `waitSeconds` at most for what is under way. */
export async function runAudit(
  system: System,
  directory: string,
  lost: LostCommits,
  waitSeconds: number,
): Promise<AuditReport> {
  const gone = new Set([...idsOf(lost), ...lost.letters.map(({ id }) => id)]);
  const kept: string[] = [];
  for await (const { id } of readAcknowledged(directory)) if (!gone.has(id)) kept.push(id);
  const file = join(directory, "acknowledged-and-not-lost");
  await writeFile(file, kept.join("\n"));
  return await runAdmin(system, ["audit", "--full", "--json", "--wait", `${waitSeconds}`, "--acknowledged", file]);
}

/** Those that are kept, and those that the database lost. */
export async function countDeadLetters(system: System, lost: LostCommits): Promise<Letters> {
  const args = ["dead-letters", "list", "--json", "--limit", "100000"];
  const letters: readonly { readonly stage: string }[] = await runAdmin(system, args);
  // The list is of open ones.
  const all = [...letters, ...lost.letters.filter(({ state }) => state === "open")];
  const count = (...stages: readonly string[]): number => all.filter(({ stage }) => stages.includes(stage)).length;
  return { events: count("rejected"), messages: count("message", "delivery") };
}

async function runAdmin({ root, environment }: System, args: readonly string[]) {
  const { output, errors } = await runTally(root, environment, args);
  if (output === "") throw new Error(`tally ${args.join(" ")} printed nothing: ${errors}`);
  return JSON.parse(output);
}

type Compared = Pick<Totals, "refusedAmong" | "unknown" | "otherIds" | "rejected" | "firstRejection" | "domains">;
type Audited = Pick<AuditReport, "agrees" | "audit" | "underWay" | "domains">;

/** Where the load, the audit and the dead letters contradict each other: one sentence for each. */
export function differences(
  load: Compared,
  audited: Audited,
  letters: { readonly injected: Letters; readonly kept: Letters },
  lost: LostCommits,
): readonly string[] {
  const { kept } = letters;
  const gone = new Set([...idsOf(lost), ...lost.letters.map(({ id }) => id)]);
  // Where the database lost one of these events, the others may be parked or stored instead of a letter. Or there are
  // two letters: the lost one of a correction, and one of the other correction, which came later the second time.
  const unsure = load.refusedAmong.filter((ids) => ids.some((id) => gone.has(id))).length;
  const expected = { ...letters.injected, events: letters.injected.events + load.refusedAmong.length };
  const { agrees, audit, underWay } = audited;
  const { unacknowledged = 0 } = audit;
  const found: string[] = underWay.map((what) => `still under way: ${what}`);
  if (!agrees) found.push("the audit found differences");
  if (unacknowledged > load.unknown) {
    found.push(`${unacknowledged} unacknowledged rows, but only ${load.unknown} requests without a response`);
  }
  if (unacknowledged === 0 && audit.lost === 0 && idsOf(lost).length === 0)
    found.push(...unitsThatDiffer(load, audited));
  if (load.otherIds > 0) found.push(`${load.otherIds} repetitions got another id than their event`);
  if (load.rejected > 0) found.push(`${load.rejected} requests were rejected, the first with ${load.firstRejection}`);
  for (const stage of ["events", "messages"] as const) {
    if (Math.abs(expected[stage] - kept[stage]) > (stage === "events" ? unsure : 0))
      found.push(`stage ${stage}: ${expected[stage]} expected, ${kept[stage]} dead letters`);
  }
  return found;
}

function unitsThatDiffer(load: Compared, { domains }: Audited): readonly string[] {
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
 * a row. Events that the database lost may have been stored again, with another of their contents. Takes about 1 s for
 * 50,000 events. `firstWrong`: "<domain> <event id>". */
export async function checkContents(
  { writer }: Database,
  directory: string,
  domains: readonly Domain[],
  lost: LostCommits,
) {
  const everLost = new Set(idsOf(lost));
  let checked = 0;
  const wrong: string[] = [];
  for (const domain of domains) {
    const contents = await readContents(directory, domain.name);
    const letters = await listLetters(writer, { domain: domain.name, stage: "conflict" }, lettersMax);
    const lostLetters = lost.letters.filter((one) => one.domain === domain.name && one.stage === "conflict");
    const kept = new Set(
      [...letters, ...lostLetters].map(({ messageId, body }) => {
        // The body of a letter of this stage is an event.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return `${messageId} ${fingerprintOfEvent(domain, decodeEvent(body) as Event)}`;
      }),
    );
    const ids = [...contents.keys()].filter((id) => !everLost.has(id));
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
