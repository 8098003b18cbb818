import { readFile } from "node:fs/promises";
import type { Database } from "@tally/database";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { formType } from "./form.ts";
import { Acknowledgements, idsOf, resultsOf } from "./hostile/acknowledgements.ts";
import { basePaths } from "./hostile/base-paths.ts";
import { topics } from "./hostile/cases.ts";
import { HostileConnection } from "./hostile/connection.ts";
import { Draw } from "./hostile/draw.ts";
import { inLanes } from "./hostile/in-lanes.ts";
import { keyRaces } from "./hostile/key-races.ts";
import { mutationOf } from "./hostile/mutation.ts";
import { runCase } from "./hostile/run-case.ts";
import { Lane, type Seen } from "./hostile/run-mutation.ts";
import { album, postAlbum } from "./hostile/sample-requests.ts";
import { readStored } from "./hostile/stored-rows.ts";
import { openDatabase } from "./rankings-equal-rows.ts";
import { startSystem, type TestSystem } from "./start-system.ts";

const lanes = 32;
const shownMax = 60;
const mutations = Number(process.env["HOSTILE_MUTATIONS"] ?? 10_000);
// Printed with every failure, so that a run can be repeated.
const seed = Number(process.env["HOSTILE_SEED"] ?? 20_261_122);
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

async function expectAllStored(): Promise<void> {
  await vi.waitFor(async () => expectNone(acknowledgements.missing(await readStored(database))), {
    timeout: 30_000,
    interval: 250,
  });
}

/** Waits until everything that was acknowledged is stored; then nothing else may be. */
async function expectPromiseKept(): Promise<void> {
  await expectAllStored();
  const stored = await readStored(database);
  expectNone(acknowledgements.differences(stored));
  // What a gateway takes, the database takes.
  expect(stored.letters).toEqual([]);
}

/** Fails with the first of what was found; all of it would be too long to read. */
function expectNone(found: readonly string[]): void {
  expect({ count: found.length, first: found.toSorted().slice(0, shownMax) }).toEqual({ count: 0, first: [] });
}

const cases = topics.flatMap(([, of]) => of);

test("there are at least 300 hostile requests, each with its own name", () => {
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
    expectNone(found);
  });
});

test.each(keyRaces)("one key with other content from $name at once on 16 connections is one event", async (race) => {
  const n = firstRace + keyRaces.indexOf(race);
  const statuses = await Promise.all(
    Array.from({ length: 16 }, async (_, turn) => {
      const connection = new HostileConnection(system.url, 10_000);
      await connection.write(race.send(n, turn));
      const [answer] = await connection.answers(1);
      connection.destroy();
      if (answer === undefined) throw new Error("no response");
      const contents = race.stores(n, turn);
      for (const { id, index } of idsOf(answer)) {
        acknowledgements.add({ id, by: `${race.name}, turn ${turn}`, content: contents[index] });
      }
      // Each entry of a bulk response has a status; all of them are the same here.
      return resultsOf(answer)[0]?.status ?? answer.status;
    }),
  );
  const accepted = statuses.filter((status) => status === 200 || status === 201);
  const others = statuses.filter((status) => ![200, 201, 409, 422].includes(status));
  expect({ accepted: accepted.length, others }).toEqual({ accepted: 1, others: [] });
});

test("all that the hostile requests had acknowledged is stored as it was sent, and nothing else is", async () => {
  await expectPromiseKept();
});

test(`${mutations} mutated requests: no 5xx, no hang, nothing unanswered (HOSTILE_SEED=${seed})`, async () => {
  const seen: Seen = { acknowledgements, statuses: new Map(), requests: 0, unanswered: 0 };
  const world = { albums: await postAlbums() };
  const running = Array.from({ length: lanes }, () => new Lane(system.url, seen));
  const found: string[] = [];
  await inLanes(mutations, lanes, async (n, lane) => {
    const mutation = mutationOf(firstMutation + n, new Draw(seed, n), world);
    found.push(...((await running[lane]?.run(mutation, n)) ?? []));
  });
  for (const lane of running) lane.end();
  const statuses = Object.fromEntries([...seen.statuses].toSorted(([a], [b]) => a - b));
  console.log(`${seen.requests} requests, ${acknowledgements.size} events, statuses ${JSON.stringify(statuses)}`);
  expectNone(found);
  expect(seen.unanswered).toBe(0);
  expect(seen.requests).toBeGreaterThanOrEqual(mutations);
}, 180_000);

test(`all that they had acknowledged is stored as it was sent, and nothing else is (HOSTILE_SEED=${seed})`, async () => {
  await expectPromiseKept();
  for (const kind of ["purchase", "swipe", "ride", "steps", "album", "review"]) {
    expect(acknowledgements.kinds[kind]).toBeGreaterThan(mutations / 100);
  }
}, 60_000);

// Above the numbers of the cases.
const firstRace = 1_900_000;
const firstMutation = 2_000_000;

/** Album ids made from a key. A mutated id is unknown, so the gateway does not wait for it. */
async function postAlbums(): Promise<readonly [string, ...string[]]> {
  const post = async (n: number): Promise<string> => {
    const connection = new HostileConnection(system.url, 10_000);
    await connection.write(postAlbum(n, [formType, `Idempotency-Key: seed-${n}`]));
    const [answer] = await connection.answers(1);
    connection.destroy();
    const id = answer?.headers.get("tally-event-id");
    if (id === undefined) throw new Error(`an album of the set-up was answered ${answer?.status}`);
    acknowledgements.add({ id, by: `album ${n} of the set-up`, content: album(n) });
    return id;
  };
  const albums = [await post(1), await post(2), await post(3)] as const;
  await expectAllStored();
  return [...albums];
}

// The last: after all of the above.
test("no process has ended, and no log has an error", async () => {
  expect(pidsOf(system)).toEqual(pids);
  for (const { logFile } of [system.gateway, system.writer, system.ranker]) {
    const lines = (await readFile(logFile, "utf8")).split("\n");
    expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line) || /^\S*Error\b/.test(line))).toEqual([]);
  }
});
