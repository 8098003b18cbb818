import { readFile } from "node:fs/promises";
import type { Database } from "@tally/database";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Acknowledgements } from "./hostile/acknowledgements.ts";
import { basePaths } from "./hostile/base-paths.ts";
import { topics } from "./hostile/cases.ts";
import { inLanes } from "./hostile/in-lanes.ts";
import { runCase } from "./hostile/run-case.ts";
import { readStored } from "./hostile/stored-rows.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

const lanes = 32;
let system: TestSystem;
let database: Database;
let pids: readonly (number | undefined)[];
const acknowledgements = new Acknowledgements();

beforeAll(async () => {
  system = await startSystem({ BASE_PATHS: basePaths });
  database = openDatabase(system);
  pids = pidsOf(system);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

const pidsOf = ({ gateway, writer, ranker }: TestSystem) => [gateway.pid, writer.pid, ranker.pid];

/** Waits until everything that was acknowledged is stored; then nothing else may be. */
async function expectPromiseKept(): Promise<void> {
  await vi.waitFor(async () => expect(acknowledgements.missing(await readStored(database))).toEqual([]), {
    timeout: 30_000,
    interval: 250,
  });
  expect(acknowledgements.differences(await readStored(database))).toEqual([]);
}

const cases = topics.flatMap(([, of]) => of);

test("there are at least 300 hostile requests, each with a name of its own", () => {
  expect(cases.length).toBeGreaterThanOrEqual(300);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

describe.each(topics)("hostile %s", (topic, ofTopic) => {
  test("each gets the expected responses, and stores what it acknowledges", async () => {
    const first = 1_000_000 + 1000 * topics.findIndex(([name]) => name === topic);
    const found: string[] = [];
    await inLanes(ofTopic.length, lanes, async (index) => {
      const one = ofTopic[index];
      if (one !== undefined) found.push(...(await runCase(system.url, one, first + index, acknowledgements)));
    });
    expect(found.toSorted()).toEqual([]);
  });
});

test("all that the hostile requests had acknowledged is stored as it was sent, and nothing else is", async () => {
  await expectPromiseKept();
});

// The last: after all of the above.
test("no process has ended, and no log has an error", async () => {
  expect(pidsOf(system)).toEqual(pids);
  for (const { logFile } of [system.gateway, system.writer, system.ranker]) {
    const lines = (await readFile(logFile, "utf8")).split("\n");
    expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line) || /^\S*Error\b/.test(line))).toEqual([]);
  }
});
