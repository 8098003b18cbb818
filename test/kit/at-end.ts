import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";

/** Runs `work` at the end of the test, outside of tests at the end of the file; what was registered last runs first.
 * Not for hooks. */
export function atEnd(work: () => unknown): void {
  if (expect.getState().currentTestName === undefined) afterAll(async () => void (await work()));
  else onTestFinished(async () => void (await work()));
}

/** A new directory, which is removed with the test or the file. */
export async function temporaryDirectory(parent = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(parent, "tally-test-"));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
