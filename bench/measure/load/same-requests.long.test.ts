import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import type { LoadPlan, Phase } from "./load-plan.ts";
import { seedOfThread } from "./requests.ts";
import { accept, loadOn, serverOf } from "./start-load.fixture.ts";

/** The requests of each connection of a load, in order. */
async function sentBy(
  plan: Partial<LoadPlan>,
  threads = 1,
  fill?: number,
  phase: Phase = { model: "closed", until: { amount: 200 } },
): Promise<readonly (readonly string[])[]> {
  const sent = new Map<unknown, string[]>();
  const server = await serverOf((request, response) => {
    const own = sent.get(request.socket) ?? [];
    sent.set(request.socket, own);
    let body = `${request.method} ${request.url} `;
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      own.push(body);
      response.writeHead(201).end();
    });
  });
  const load = loadOn(server.url, { readShare: 0.3, spread: "zipf", ...plan }, threads);
  if (fill !== undefined) await load.run({ model: "fill", amount: fill });
  sent.clear();
  await load.run(phase);
  return [...sent.values()];
}

test("the same seed sends the same requests", async () => {
  const [first, again, other] = [await sentBy({ seed: 7 }), await sentBy({ seed: 7 }), await sentBy({ seed: 8 })].map(
    (sent) => sent.flat().toSorted(),
  );
  expect(first).toHaveLength(200);
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
  expect(first?.filter((request) => request.startsWith("GET")).length).toBeGreaterThan(30);
});

test("each connection of a source's run sends the same requests with the same seed", async () => {
  const phase = { model: "source", run: 0, scale: 0.01 } as const;
  const sentOf = async (seed: number) =>
    (await sentBy({ domain: "liftrides", seed }, 1, undefined, phase)).map((sent) => sent.join("\n")).toSorted();
  const [first, again, other] = [await sentOf(7), await sentOf(7), await sentOf(8)];
  expect(first.length).toBeGreaterThan(1);
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
});

test("the same seed and number of threads send the same requests; threads and neighbouring seeds send different ones", async () => {
  // One connection for each thread; the threads are in any order.
  const threadsOf = async (seed: number): Promise<ReadonlySet<string>> =>
    new Set((await sentBy({ seed, connections: 3 }, 3)).map((sent) => sent.join("\n")));
  const [first, again, beside] = [await threadsOf(1), await threadsOf(1), await threadsOf(2)];
  expect(first).toEqual(again);
  expect(new Set([...first, ...beside]).size).toBe(6);
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
