import { domains } from "@tally/domains";
import { expect, test } from "vitest";
import type { LoadPlan, Phase } from "./load-plan.ts";
import { accept, loadOn, serverOf } from "./start-load.fixture.ts";

/** The requests of each connection of a load, in order. */
async function sentBy(
  plan: Partial<LoadPlan>,
  fill?: number,
  phase: Phase = { model: "closed", until: { name: "amount", amount: 200 } },
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
  const load = loadOn(server.url, { readShare: 0.3, spread: "zipf", ...plan });
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
    (await sentBy({ domain: "liftrides", seed }, undefined, phase)).map((sent) => sent.join("\n")).toSorted();
  const [first, again, other] = [await sentOf(7), await sentOf(7), await sentOf(8)];
  expect(first.length).toBeGreaterThan(1);
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
});

test.each([2, 301])("a fill of %i has exactly as many POSTs accepted, with any share of GETs", async (amount) => {
  let n = 0;
  const methods: (string | undefined)[] = [];
  const server = await serverOf((request, response) => {
    request.resume();
    methods.push(request.method);
    // Every second request is rejected.
    if (n++ % 2 === 0) response.writeHead(503).end();
    else accept(request, response);
  });
  const load = loadOn(server.url, { domain: "albums", readShare: 1, connections: 12 });
  expect(await load.run({ model: "fill", amount })).toMatchObject({ accepted: amount, read: 0, withoutResponse: 0 });
  expect(new Set(methods)).toEqual(new Set(["POST"]));
});

test.each(domains.map(({ name }) => name))("a fill does not change the requests after it: %s", async (domain) => {
  const plan = { domain, connections: 1 };
  const [without, with50] = [await sentBy(plan), await sentBy(plan, 50)];
  expect(without).toEqual(with50);
});
