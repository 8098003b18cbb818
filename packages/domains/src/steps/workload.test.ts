import { expect, test } from "vitest";
import { workload } from "./workload.ts";

test("a thread posts for two users, reads the newest day of the first and the day of the second, and posts for a third, hour by hour", () => {
  for (const [phase, [from, to]] of [
    [0, 2],
    [3, 7],
    [8, 18],
    [19, 23],
  ].entries()) {
    const { request, requestsOfEach } = workload.source.runs[0]?.groups(1)[phase] ?? { requestsOfEach: 0 };
    let drawn = 0;
    const random = () => (drawn++ % 1000) / 1000;
    const hours: number[] = [];
    for (let n = 0; n < requestsOfEach; n += 5) {
      const five = Array.from({ length: 5 }, (_, step) => request?.(0, n + step, random));
      // Requests of another thread change nothing.
      request?.(1, n, random);
      const [one, two, current, single, three] = five.map((each) => `${each?.method} ${each?.path}`);
      const [, first = "", hour = ""] = /^POST \/steps\/(\d+)\/1\/(\d+)\/\d+$/.exec(one ?? "") ?? [];
      const [, second = ""] = /^POST \/steps\/(\d+)\/1\/\d+\/\d+$/.exec(two ?? "") ?? [];
      expect([current, single]).toEqual([`GET /steps/current/${first}`, `GET /steps/single/${second}/1`]);
      expect(three).toMatch(/^POST \/steps\/\d+\/1\/\d+\/\d+$/);
      hours.push(Number(hour));
    }
    expect([hours.length, hours[0], hours[99], hours[100], hours.at(-1)]).toEqual([
      ((to ?? 0) - (from ?? 0) + 1) * 100,
      from,
      from,
      (from ?? 0) + 1,
      to,
    ]);
  }
});
