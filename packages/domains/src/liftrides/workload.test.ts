import { expect, test } from "vitest";
import { workload } from "./workload.ts";

test("rides have the minutes of their phase, 50,000 skiers and 40 lifts; the reads come last", () => {
  const ofPhase = [
    { from: "1", to: "90", days: 5, verticals: 0 },
    { from: "91", to: "360", days: 5, verticals: 0 },
    { from: "361", to: "420", days: 10, verticals: 10 },
  ];
  const fixed = { resortID: "silverMt", dayID: "1" };
  for (const [phase, { request, requestsOfEach }] of (workload.source.runs[1]?.groups(1) ?? []).entries()) {
    const rides = [() => 0, () => 1 - 2 ** -31].map((random) => JSON.parse(String(request(0, 999, random).body)));
    const reads = Array.from({ length: requestsOfEach - 1000 }, (_, n) => request(0, 1000 + n, () => 0));
    const { from, to, days = 0, verticals = 0 } = ofPhase[phase] ?? {};
    expect(rides).toEqual([
      { ...fixed, skierID: "1", time: from, liftID: "0" },
      { ...fixed, skierID: "50000", time: to, liftID: "39" },
    ]);
    expect(reads.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...Array.from({ length: days }, () => "GET /skiers/silverMt/days/1/skiers/1"),
      ...Array.from({ length: verticals }, () => "GET /skiers/1/vertical?resort=silverMt"),
    ]);
  }
});
