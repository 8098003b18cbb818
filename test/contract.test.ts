import type { System } from "@tally/local";
import { readFile } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { expectAllKept } from "./audit-of.ts";
import { albums } from "./contract/albums.ts";
import { clientBasePaths, existingClients } from "./contract/existing-clients.ts";
import { liftRides } from "./contract/lift-rides.ts";
import { pathOfAnEvent } from "./contract/path-of-an-event.ts";
import { purchasePages } from "./contract/purchase-pages.ts";
import { purchases } from "./contract/purchases.ts";
import { readsInGroups } from "./contract/reads-in-groups.ts";
import { stepCounts } from "./contract/steps.ts";
import { swipes } from "./contract/swipes.ts";
import { basePaths } from "./hostile/base-paths.ts";
import { topics as hostileTopics } from "./hostile/cases.ts";
import { keyRaces } from "./hostile/key-races.ts";
import { Acknowledgements, idsOf, resultsOf } from "./http/acknowledgements.ts";
import { expectAllStored, expectNone, expectPromiseKept } from "./http/expect-stored.ts";
import { inLanes } from "./http/in-lanes.ts";
import { RawConnection } from "./http/raw-connection.ts";
import type { HttpResponse } from "./http/read-responses.ts";
import { referenceOf } from "./http/reference-of.ts";
import { runCase } from "./http/run-case.ts";
import { undocumentedIn, type ErrorDocument } from "./http/undocumented.ts";
import { cellsOfBoards, cellsOfRows, openDatabase } from "./rankings-equal-rows.ts";
import { startSystem } from "./start-system.ts";

/* Everything that a client can see over HTTP with default settings, in one system. Tests use their own stores, users and resorts. */

const acknowledgements = new Acknowledgements();
const pidsOf = ({ gateways, writers, rankers }: System) => [...gateways, ...writers, ...rankers].map(({ pid }) => pid);

const system = await startSystem(
  { BASE_PATHS: `${basePaths},${clientBasePaths}` },
  {
    instances: { gateway: 2 },
    environmentOf: (app, index) => (app === "gateway" && index === 1 ? { RECENT_BYTES_MAX: "0" } : {}),
  },
);
const reference = await referenceOf<ErrorDocument>(system.url);
const database = openDatabase(system);
const pids = pidsOf(system);

const topics = [
  ["purchases", purchases],
  ["steps", stepCounts],
  ["swipes", swipes],
  ["lift rides", liftRides],
  ["existing clients", existingClients],
  ...hostileTopics,
] as const;

test("every case has its own name", () => {
  const names = topics.flatMap(([topic, cases]) => cases.map(({ name }) => `${topic}: ${name}`));
  expect(names.length).toBeGreaterThan(1000);
  expect(new Set(names).size).toBe(names.length);
});

test.each(topics)(
  "%s: each case gets the expected responses, which /openapi.json documents, and what it stores can be read",
  { timeout: 120_000 },
  async (topic, cases) => {
    const first = 1_000_000 + 1000 * topics.findIndex(([name]) => name === topic);
    const found: string[] = [];
    await inLanes(cases.length, 32, async (index) => {
      const one = cases[index];
      if (one === undefined) return;
      const onResponse = (request: Buffer, response: HttpResponse): void => {
        const missing = undocumentedIn(reference, request, response);
        if (missing !== undefined) found.push(`${one.name}: not in /openapi.json: ${missing}`);
      };
      found.push(...(await runCase(system.url, one, first + index, acknowledgements, onResponse)));
    });
    expectNone(found);
  },
);

const contract = { system: () => system, database: () => database, acknowledgements };
pathOfAnEvent(contract);
albums(contract);
purchasePages(contract);
readsInGroups(contract);

test.each(keyRaces)("of 16 requests at once with one key and different $name one is accepted", async (race) => {
  const n = 1_900_000 + keyRaces.indexOf(race);
  const statuses = await Promise.all(
    Array.from({ length: 16 }, async (_, turn) => {
      const connection = new RawConnection(system.url);
      await connection.write(race.send(n, turn));
      const response = await connection.response();
      connection.destroy();
      const contents = race.stores(n, turn);
      for (const { id, index } of idsOf(response)) {
        acknowledgements.add({ id, by: `${race.name}, turn ${turn}`, content: contents[index] });
      }
      // The entries of a bulk response all have the same status here.
      return resultsOf(response)[0]?.status ?? response.status;
    }),
  );
  const accepted = statuses.filter((status) => status === 200 || status === 201);
  const others = statuses.filter((status) => ![200, 201, 409, 422].includes(status));
  expect({ accepted: accepted.length, others }).toEqual({ accepted: 1, others: [] });
});

describe("after any of these", () => {
  test("everything acknowledged is stored as it was sent, and nothing else is", () =>
    expectPromiseKept(database, acknowledgements));

  test("the audit agrees: acknowledged = stored = ranked", { timeout: 90_000 }, async () => {
    await expectAllStored(database, acknowledgements);
    await expectAllKept(system, acknowledgements.ids);
  });

  test.each([
    ["purchases", undefined],
    [
      "swipes",
      "SELECT 'likes' AS board, swipee AS member, COUNT(*) AS count FROM swipe_pairs WHERE liked = 1 GROUP BY swipee",
    ],
    [
      "steps",
      `SELECT CONCAT('day:', day) AS board, user_id AS member, SUM(steps) AS count
       FROM steps GROUP BY day, user_id HAVING SUM(steps) > 0`,
    ],
    [
      "liftrides",
      `SELECT CONCAT('day:', season, ':', day, ':', resort) AS board, skier_id AS member, SUM(lift_id) * 10 AS count
       FROM lift_rides WHERE skier_id IS NOT NULL GROUP BY season, day, resort, skier_id HAVING SUM(lift_id) > 0`,
    ],
  ])("the boards of %s equal the rows", async (domain, sums) => {
    await vi.waitFor(
      async () => expect(await cellsOfBoards(system, domain)).toEqual(await cellsOfRows(database, sums)),
      { timeout: 20_000, interval: 200 },
    );
  });

  test("no process has ended, and no log has an error", async () => {
    expect(pidsOf(system)).toEqual(pids);
    for (const { logFile } of [...system.gateways, system.writer, system.ranker]) {
      const lines = (await readFile(logFile, "utf8")).split("\n");
      // The level begins a line of the logger; a line of an uncaught error begins with the name of its class. A warning may hold an error.
      expect(lines.filter((line) => /^\{"level":"(error|fatal)"/.test(line) || /^\w*Error\b/.test(line))).toEqual([]);
    }
  });
});
