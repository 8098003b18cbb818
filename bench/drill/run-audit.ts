import { runTally } from "@tally/local";
import type { AuditReport } from "@tally/reconcile";
import type { Letters } from "./kinds/fault-kind.ts";
import type { System } from "./system.ts";

/** Runs `tally audit` as a process. `acknowledged`: the file with the ids. */
export async function runAudit(system: System, acknowledged: string): Promise<AuditReport> {
  const output = await runAdmin(system, ["audit", "--json", "--wait", "300", "--acknowledged", acknowledged]);
  const report: AuditReport = JSON.parse(output);
  return report;
}

export async function countDeadLetters(system: System): Promise<Letters> {
  const output = await runAdmin(system, ["dead-letters", "list", "--json", "--limit", "100000"]);
  const letters: readonly { readonly stage: string }[] = JSON.parse(output);
  const count = (...stages: readonly string[]): number => letters.filter(({ stage }) => stages.includes(stage)).length;
  return { events: count("event"), messages: count("message", "delivery") };
}

async function runAdmin({ root, environment }: System, args: readonly string[]): Promise<string> {
  const { output, errors } = await runTally(root, environment, args);
  if (output === "") throw new Error(`tally ${args.join(" ")} printed nothing: ${errors}`);
  return output;
}
