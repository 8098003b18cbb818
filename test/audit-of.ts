import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTally } from "./run-tally.ts";
import type { TestSystem } from "./start-system.ts";

/** What `tally audit` says of one domain whose clients were answered these ids. `more` are flags. */
export async function auditOf(
  system: TestSystem,
  domain: string,
  acknowledged: readonly string[],
  ...more: readonly string[]
): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), "tally-audit-"));
  try {
    const file = join(directory, "acknowledged");
    await writeFile(file, acknowledged.map((id) => `${id}\n`).join(""));
    const flags = ["--json", "--domain", domain, "--acknowledged", file, ...more];
    const { output } = await runTally(system, ["audit", ...flags]);
    return JSON.parse(output);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
