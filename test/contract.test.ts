import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { existingClients } from "./contract/existing-clients.ts";
import { purchases, stepCounts } from "./contract/purchases-and-steps.ts";
import { liftRides, swipes } from "./contract/swipes-and-rides.ts";
import { acknowledgements, database, open, system } from "./contract/system.ts";
import { bodies, compressed } from "./hostile/bodies.ts";
import { bulkRequests, idempotencyKeys, keyRaces } from "./hostile/bulk-and-keys.ts";
import { forms } from "./hostile/forms.ts";
import { framing } from "./hostile/framing.ts";
import { jsonValues } from "./hostile/json-values.ts";
import { belowBasePaths, paths } from "./hostile/paths.ts";
import { headerFields, requestLines } from "./hostile/request-heads.ts";
import { runCase } from "./http/cases.ts";
import type { HttpResponse } from "./http/raw-connection.ts";
import { referenceOf, undocumentedIn } from "./http/reference.ts";
import { expectNone, expectPromiseKept, resultsOf } from "./http/stored.ts";
import { expectAllKept } from "./kit/tally.ts";

// Their tests belong to this file: they share its system.
// oxlint-disable import/no-unassigned-import
import "./contract/albums.ts";
import "./contract/reads.ts";
// oxlint-enable import/no-unassigned-import

/* Everything that a client can see over HTTP with default settings. Tests use their own stores, users and resorts. */

const reference = await referenceOf(system.url);
const processes = [...system.gateways, ...system.writers, ...system.rankers];
const pids = processes.map(({ pid }) => pid);

const topics = [
  ["purchases", purchases],
  ["steps", stepCounts],
  ["swipes", swipes],
  ["lift rides", liftRides],
  ["existing clients", existingClients],
  ["request lines", requestLines],
  ["header fields", headerFields],
  ["framing", framing],
  ["bodies", bodies],
  ["Content-Encoding", compressed],
  ["values of JSON bodies", jsonValues],
  ["bulk requests", bulkRequests],
  ["forms", forms],
  ["keys", idempotencyKeys],
  ["paths and queries", paths],
  ["base paths", belowBasePaths],
] as const;

test.each(topics)(
  "%s: each case gets the expected responses, which /openapi.json documents, and what it stores can be read",
  async (topic, cases) => {
    const first = 1_000_000 + 1000 * topics.findIndex(([name]) => name === topic);
    const found: string[] = [];
    const waiting = cases.entries();
    const runWaiting = async (): Promise<void> => {
      for (const [index, unnumbered] of waiting) {
        const one = { ...unnumbered, name: `${index}, ${unnumbered.name}` };
        const onResponse = (request: Buffer, response: HttpResponse): void => {
          const missing = undocumentedIn(reference, request, response);
          if (missing !== undefined) found.push(`${one.name}: not in /openapi.json: ${missing}`);
        };
        found.push(...(await runCase(system.url, one, first + index, acknowledgements, onResponse)));
      }
    };
    await Promise.all(Array.from({ length: 32 }, runWaiting));
    expectNone(found);
  },
);

test.each(keyRaces)("of 16 requests at once with one key and different $name one is accepted", async (race) => {
  const n = 1_900_000 + keyRaces.indexOf(race);
  const statuses = await Promise.all(
    Array.from({ length: 16 }, async (_, turn) => {
      const connection = open();
      await connection.write(race.send(n, turn));
      const by = `${race.name}, turn ${turn}`;
      const response = acknowledgements.record(await connection.response(), by, race.stores(n, turn));
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

  test("the audit agrees: acknowledged = stored = ranked", () => expectAllKept(system, acknowledgements.ids));

  test("no process has ended, and no log has an error", async () => {
    expect(processes.map(({ pid }) => pid)).toEqual(pids);
    for (const { logFile } of processes) {
      const lines = (await readFile(logFile, "utf8")).split("\n");
      // The level begins a line of the logger, the name of its class one of an uncaught error. A warning may hold one.
      expect(lines.filter((line) => /^\{"level":"(error|fatal)"/.test(line) || /^\w*Error\b/.test(line))).toEqual([]);
    }
  });
});
