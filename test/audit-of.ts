import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTally } from "./run-tally.ts";

/** The report of `tally audit --json` for these acknowledged ids. `flags`: further ones, such as the domain. */
export async function auditOf(
  system: Parameters<typeof runTally>[0],
  acknowledged: readonly string[],
  ...flags: readonly string[]
): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), "tally-audit-"));
  try {
    const file = join(directory, "acknowledged");
    await writeFile(file, acknowledged.map((id) => `${id}\n`).join(""));
    const { output } = await runTally(system, ["audit", "--json", "--acknowledged", file, ...flags]);
    return JSON.parse(output);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
