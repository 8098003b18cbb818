import { runTally } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import type { Stand } from "./stand.ts";

/** Runs the command as its users do; `text` is what it tells a person when something differs. */
export async function runAudit(root: string, stand: Stand, acknowledged: string): Promise<AuditReport> {
  const output = await runAdmin(root, stand, ["audit", "--json", "--wait", "300", "--acknowledged", acknowledged]);
  const report: AuditReport = JSON.parse(output);
  return report;
}

/** How many letters the system keeps of events that the database refuses, and of messages. */
export async function countDeadLetters(
  root: string,
  stand: Stand,
): Promise<{ readonly events: number; readonly messages: number }> {
  const output = await runAdmin(root, stand, ["dead-letters", "list", "--json", "--limit", "100000"]);
  const letters: readonly { readonly stage: string }[] = JSON.parse(output);
  const count = (...stages: readonly string[]): number => letters.filter(({ stage }) => stages.includes(stage)).length;
  return { events: count("event"), messages: count("message", "delivery") };
}

async function runAdmin(root: string, { environment }: Stand, args: readonly string[]): Promise<string> {
  const { output, errors } = await runTally(root, environment, args);
  if (output === "") throw new Error(`tally ${args.join(" ")} answered nothing: ${errors}`);
  return output;
}
