import { domains } from "@tally/domains";
import { awayFromMidnight } from "@tally/local/at-end";
import { expect, test } from "vitest";
import type { LoadPlan, Phase } from "./load-plan.ts";
import { seedOfThread } from "./requests.ts";
import { accept, loadOn, serverOf } from "./start-load.fixture.ts";

// Sales are of the day before the start of a thread.
await awayFromMidnight();

/** The requests of each connection of a load, in order. A connection that timed out would be two. */
async function sentBy(
  plan: Partial<LoadPlan>,
  threads = 1,
  fill?: number,
  phase: Phase = { model: "closed", until: { amount: 200 } },
): Promise<readonly (readonly string[])[]> {
  const sent = new Map<unknown, string[]>();
  const server = await serverOf((request, response) => {
    const own = sent.getOrInsertComputed(request.socket, () => []);
    let body = `${request.method} ${request.url} `;
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      own.push(body);
      response.writeHead(201).end();
    });
  });
  const load = loadOn(server.url, { readShare: 0.3, spread: "zipf", responseWithinMs: 60_000, ...plan }, threads);
  if (fill !== undefined) await load.run({ model: "fill", amount: fill });
  sent.clear();
  await load.run(phase);
  return [...sent.values()];
}

// Connections and threads are in any order; each of several connections sends its own requests.
test.each<[string, Partial<LoadPlan>, number, Phase?]>([
  ["a load", { connections: 1 }, 1],
  ["each connection of a source's run", { domain: "liftrides" }, 1, { model: "source", run: 0, scale: 0.01 }],
  ["each of several threads", { connections: 3 }, 3],
])("%s sends the same requests with the same seed, and others with another one", async (_, plan, threads, phase) => {
  const sentWith = async (seed: number) =>
    (await sentBy({ ...plan, seed }, threads, undefined, phase)).map((sent) => sent.join("\n")).toSorted();
  const [first, again, beside] = [await sentWith(7), await sentWith(7), await sentWith(8)];
  expect(first).toEqual(again);
  expect(new Set([...first, ...beside]).size).toBe(2 * first.length);
  expect(first.join("\n").match(/^GET/gm)?.length).toBeGreaterThan(phase === undefined ? 30 : 0);
});

test.each([
  [2, 1],
  [301, 1],
  [2, 3],
  [301, 3],
])(
  "a fill of %i over %i threads has exactly as many POSTs accepted, with any share of GETs",
  async (amount, threads) => {
    let n = 0;
    const methods: (string | undefined)[] = [];
    const server = await serverOf((request, response) => {
      request.resume();
      methods.push(request.method);
      // Every second request is rejected.
      if (n++ % 2 === 0) response.writeHead(503).end();
      else accept(request, response);
    });
    const load = loadOn(server.url, { domain: "albums", readShare: 1, connections: 12 }, threads);
    expect(await load.run({ model: "fill", amount })).toMatchObject({ accepted: amount, read: 0, withoutResponse: 0 });
    expect(new Set(methods)).toEqual(new Set(["POST"]));
  },
);

test.each(domains.map(({ name }) => name))("a fill does not change the requests after it: %s", async (domain) => {
  const plan = { domain, connections: 1 };
  const [without, with50] = [await sentBy(plan), await sentBy(plan, 1, 50)];
  expect(without).toEqual(with50);
});

test("threads of all seeds have different seeds, and the first has the seed itself", () => {
  const seeds = Array.from({ length: 300 }, (_, seed) =>
    Array.from({ length: 16 }, (_thread, index) => seedOfThread(seed + 1, index)),
  );
  expect(new Set(seeds.flat()).size).toBe(300 * 16);
  expect(seeds.map(([first]) => first)).toEqual(seeds.map((_, seed) => seed + 1));
});
