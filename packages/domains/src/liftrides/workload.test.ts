import { expect, test } from "vitest";
import { workload } from "./workload.ts";

const groupsOf = (run: number, scale = 1) => workload.source.runs[run]?.groups(scale) ?? [];

test("a phase starts when a tenth of the threads of the previous one has ended", () => {
  expect(
    groupsOf(0).map(({ name, connections, requestsOfEach, startsAfter }) => ({
      name,
      connections,
      requestsOfEach,
      startsAfter,
    })),
  ).toEqual([
    { name: "start-up", connections: 64, requestsOfEach: 1005, startsAfter: undefined },
    {
      name: "peak",
      connections: 256,
      requestsOfEach: 1005,
      startsAfter: { group: "start-up", connections: 7, responses: 1005 },
    },
    {
      name: "closing",
      connections: 64,
      requestsOfEach: 1020,
      startsAfter: { group: "peak", connections: 26, responses: 1005 },
    },
  ]);
});

test("rides have the minutes of their phase, 50,000 skiers and 40 lifts; the reads come last", () => {
  const minutes = [
    [1, 90],
    [91, 360],
    [361, 420],
  ];
  for (const [phase, { request, requestsOfEach }] of groupsOf(1).entries()) {
    const [low, high] = [() => 0, () => 1 - 2 ** -31].map((random) => JSON.parse(String(request(0, 999, random).body)));
    expect(low).toEqual({
      resortID: "silverMt",
      dayID: "1",
      skierID: "1",
      time: `${minutes[phase]?.[0]}`,
      liftID: "0",
    });
    expect(high).toEqual({
      resortID: "silverMt",
      dayID: "1",
      skierID: "50000",
      time: `${minutes[phase]?.[1]}`,
      liftID: "39",
    });
    const reads = Array.from({ length: requestsOfEach - 1000 }, (_, n) => request(0, 1000 + n, () => 0));
    expect(reads.every(({ method }) => method === "GET")).toBe(true);
    expect(Map.groupBy(reads, ({ path }) => path).get("/skiers/silverMt/days/1/skiers/1")).toHaveLength(
      phase === 2 ? 10 : 5,
    );
    expect(Map.groupBy(reads, ({ path }) => path).get("/skiers/1/vertical?resort=silverMt")?.length).toBe(
      phase === 2 ? 10 : undefined,
    );
  }
});
