import { runTally } from "@tally/local";
import type { Stand } from "./stand.ts";

/** What the drill reads of `tally audit --json`. */
export interface Audit {
  readonly agrees: boolean;
  readonly underWay: readonly string[];
  readonly seconds: number;
  readonly audit: {
    readonly acknowledged: number;
    readonly stored: number;
    readonly ranked: number;
    readonly lost: number;
    readonly doubled: number;
    readonly unacknowledged: number;
  };
  readonly notStored: readonly string[];
  readonly domains: readonly {
    readonly ledger: { readonly refused: number };
    readonly boards: { readonly units: number; readonly boards: number; readonly cells: number };
  }[];
}

/** Runs the command as its users do; `text` is what it tells a person when something differs. */
export async function runAudit(root: string, stand: Stand, acknowledged: string): Promise<Audit> {
  const output = await runAdmin(root, stand, ["audit", "--json", "--wait", "300", "--acknowledged", acknowledged]);
  const report: Audit = JSON.parse(output);
  return report;
}

/** How many letters of each stage the system keeps. */
export async function countDeadLetters(
  root: string,
  stand: Stand,
): Promise<{ readonly events: number; readonly messages: number }> {
  const output = await runAdmin(root, stand, ["dead-letters", "list", "--json", "--limit", "100000"]);
  const letters: readonly { readonly stage: string }[] = JSON.parse(output);
  const events = letters.filter(({ stage }) => stage === "event").length;
  return { events, messages: letters.length - events };
}

async function runAdmin(root: string, { environment }: Stand, args: readonly string[]): Promise<string> {
  const { output, errors } = await runTally(root, environment, args);
  if (output === "") throw new Error(`tally ${args.join(" ")} answered nothing: ${errors}`);
  return output;
}
