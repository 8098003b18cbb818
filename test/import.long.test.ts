import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "./at-end.ts";
import { expectAllKept } from "./audit-of.ts";
import { withoutProgress } from "./run-tally.ts";
import { startSystem } from "./start-system.ts";
import { startTally, tallyJson } from "./start-tally.ts";

/* An import that is killed, or whose gateway is killed, and then goes on. Each test ends with every line stored and ranked exactly once. */

const lines = 60_000;

async function salesFile() {
  const folder = await temporaryDirectory();
  const file = join(folder, "sales.csv");
  const rows = Array.from({ length: lines }, (_, n) => `${n % 20},${n},20261120,${n % 500}:1 7:2\n`);
  await writeFile(file, `storeID,custID,date,items\n${rows.join("")}`);
  const idsFile = join(folder, "ids");
  const flags = ["import", file, "--acknowledged", idsFile, "--concurrency", "1", "--give-up-after", "2"];
  return {
    flags,
    /** Resolves when lines after this one are settled, and returns the last. */
    underWay: (after: number): Promise<number> =>
      vi.waitFor(
        async () => {
          const { through } = JSON.parse(await readFile(`${file}.import-state`, "utf8"));
          expect(through).toBeGreaterThan(after);
          return through;
        },
        { timeout: 30_000, interval: 20 },
      ),
    ids: async () => (await readFile(idsFile, "utf8")).trimEnd().split("\n"),
  };
}

test("an import killed in the middle goes on where it was: every line is stored exactly once", async () => {
  const system = await startSystem();
  const { flags, underWay, ids } = await salesFile();
  let settled = 0;
  for (let kills = 0; kills < 2; kills++) {
    const { ended, kill } = startTally(system, flags);
    settled = await underWay(settled);
    kill();
    expect(await ended).toMatchObject({ exitCode: null, output: "" });
  }
  const result = await tallyJson(system, ...flags);
  expect(result).toMatchObject({ lines, accepted: lines, rejected: 0 });
  expect(result.resumedAfterLine).toBeGreaterThanOrEqual(settled);
  await expectAllKept(system, await ids());
}, 240_000);

test("while the gateway is down the import waits, gives up with exit code 3, and goes on later", async () => {
  const system = await startSystem();
  const { flags, underWay, ids } = await salesFile();
  const { ended } = startTally(system, flags);
  await underWay(0);
  system.gateway.kill("SIGKILL");
  const { exitCode, errors } = await ended;
  expect(exitCode).toBe(3);
  expect(withoutProgress(errors)).toMatch(
    /^tally: http:\S+ does not respond \(.*\)\n\d+ lines are accepted, 0 rejected; the same command goes on after line \d+\n$/,
  );
  await system.gateway.start();
  expect(await tallyJson(system, ...flags)).toMatchObject({ lines, accepted: lines, rejected: 0 });
  await expectAllKept(system, await ids());
}, 240_000);
