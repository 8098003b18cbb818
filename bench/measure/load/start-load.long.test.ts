import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { expect, test } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import type { Phase, PhaseResult, Until } from "./load-plan.ts";
import { accept, albumServer, loadOn, serverOf } from "./start-load.fixture.ts";

const models = ["closed", "open"] as const;
const phaseOf = (model: (typeof models)[number], until: Until, perSecond = 1000): Phase =>
  model === "open" ? { model, until, perSecond } : { model, until };
const msAt = (encoded: PhaseResult["posts"], percentile: number): number =>
  decodeFromCompressedBase64(encoded).getValueAtPercentile(percentile) / 1000;

test.each<[string, Phase]>([
  ["closed", phaseOf("closed", { seconds: 2 })],
  ["open", phaseOf("open", { seconds: 2 }, 100)],
  ["source's", { model: "source", run: 2, scale: 1 / 300 }],
])("a server that takes 50 ms measures as 50 ms in the %s model", async (_, phase) => {
  const took: number[] = [];
  const server = await serverOf((request, response) => {
    const startedAt = performance.now();
    request.resume();
    setTimeout(() => {
      response.writeHead(201).end();
      took.push(performance.now() - startedAt);
    }, 50);
  });
  const load = loadOn(server.url);
  let fastestMs = Infinity;
  // On a busy machine the server itself takes longer, and most requests wait for a core too: the fastest, perhaps of
  // several runs, shows the time of the server.
  for (let runs = 0; runs < 10 && fastestMs >= 1.25 * Math.min(...took); runs++) {
    const result = await load.run(phase);
    expect(msAt(result.posts, 1)).toBeGreaterThan(49);
    expect(result).toMatchObject({ timeouts: 0, connectionErrors: 0, withoutResponse: 0, sent: result.accepted });
    fastestMs = Math.min(fastestMs, msAt(result.posts, 0));
  }
  expect(fastestMs).toBeLessThan(1.25 * Math.min(...took));
});

test("a server that stalls for a second delays every request of that second, in the open model only", async () => {
  let startedAt: number | undefined;
  const server = await serverOf((request, response) => {
    request.resume();
    startedAt ??= performance.now();
    const at = performance.now() - startedAt;
    // From 1 s to 2 s of 4.
    setTimeout(() => response.writeHead(201).end(), at > 1000 && at < 2000 ? 2000 - at : 1);
  });
  const open = await loadOn(server.url).run({ model: "open", until: { seconds: 4 }, perSecond: 200 });
  // A quarter of the requests were due during the stall; 1 % waited for nearly all of it.
  expect(msAt(open.posts, 85)).toBeGreaterThan(200);
  expect(msAt(open.posts, 99)).toBeGreaterThan(800);
  expect(open.sent).toBe(800);
  startedAt = undefined;
  const closed = await loadOn(server.url).run({ model: "closed", until: { seconds: 4 } });
  expect(msAt(closed.posts, 50)).toBeLessThan(200);
});

test("the exact numbers of connections and requests are divided among threads", async () => {
  const server = await serverOf(accept);
  const idsFile = join(await temporaryDirectory(), "ids");
  const load = loadOn(server.url, { connections: 51, partOf: 201 }, 2);
  const result = await load.run(phaseOf("closed", { amount: 1003 }), idsFile);
  expect(server.connections).toBe(51);
  expect(result).toMatchObject({ sent: 1003, accepted: 1003, withoutResponse: 0, statuses: { "201": 1003 } });
  expect(result.perSecond.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1003);
  expect((await readFile(idsFile, "utf8")).trim().split("\n")).toHaveLength(1003);
  const timesOf = (posts: string) => decodeFromCompressedBase64(posts).totalCount;
  // The threads send 502 and 501.
  expect(result.parts.map(({ events, posts }) => [events, timesOf(posts)])).toEqual([1, 2, 3, 4].map(() => [201, 201]));
  const ends = result.parts.map(({ seconds }) => seconds);
  expect(ends).toEqual([...ends].toSorted((a, b) => a - b));
  expect(ends.at(-1)).toBeLessThanOrEqual(result.seconds);
});

test("all connections of an open load are open when its first request is due, and no more are opened", async () => {
  let early = 0;
  const server = await serverOf((request, response) => {
    early ||= server.connections;
    accept(request, response);
  });
  const result = await loadOn(server.url, { connections: 50 }).run(phaseOf("open", { amount: 200 }));
  expect([early, server.connections, result.sent]).toEqual([50, 50, 200]);
});

test.each(models)(
  "each gateway gets the same number of connections, with any number of threads: %s model",
  async (model) => {
    const servers = await Promise.all([serverOf(accept), serverOf(accept), serverOf(accept)]);
    const urls = servers.map(({ url }) => url);
    const result = await loadOn("", { urls, connections: 6 }, 4).run(phaseOf(model, { amount: 300 }));
    expect(result).toMatchObject({ sent: 300, accepted: 300, connectionErrors: 0 });
    expect(servers.map(({ connections }) => connections)).toEqual([2, 2, 2]);
  },
);

test("statuses, broken connections and timeouts are counted apart, and none is a success", async () => {
  let n = 0;
  const server = await serverOf((request, response) => {
    request.resume();
    n++;
    if (n % 4 === 0) response.writeHead(503).end();
    else if (n % 4 === 1) request.socket.destroy();
    else if (n % 4 === 2) response.writeHead(201).end();
  });
  const load = loadOn(server.url, { connections: 4, responseWithinMs: 1000 });
  const result = await load.run(phaseOf("closed", { seconds: 2 }));
  const { sent, accepted, timeouts, withoutResponse, statuses } = result;
  expect(accepted).toBe(statuses["201"]);
  expect(statuses["503"]).toBeGreaterThan(0);
  expect(timeouts).toBeGreaterThan(0);
  expect(withoutResponse).toBeGreaterThan(0);
  expect(accepted + (statuses["503"] ?? 0) + timeouts + withoutResponse).toBe(sent);
});

test.each(models)(
  "a request that times out counts with the time that it waited, and does not extend the load, in the %s model",
  async (model) => {
    let n = 0;
    const server = await serverOf((request, response) => {
      request.resume();
      // One in five gets no response, the first among them.
      if (n++ % 5 !== 0) response.writeHead(201).end();
    });
    const load = loadOn(server.url, { connections: model === "open" ? 50 : 10, responseWithinMs: 2000 });
    const result = await load.run(phaseOf(model, { amount: 50 }, 500));
    expect(result).toMatchObject({ accepted: 40, timeouts: 10, connectionErrors: 0 });
    expect(decodeFromCompressedBase64(result.posts).totalCount).toBe(50);
    expect(msAt(result.posts, 79)).toBeLessThan(2000);
    expect(msAt(result.posts, 82)).toBeGreaterThan(1998); // three digits
    if (model === "open") expect(result.seconds).toBeLessThan(2);
  },
);

test("a request that never gets a connection times out in the open model", async () => {
  const server = await serverOf((request) => request.resume());
  const load = loadOn(server.url, { connections: 1, responseWithinMs: 1000 });
  const result = await load.run(phaseOf("open", { amount: 20 }, 200));
  expect(result).toMatchObject({ sent: 20, timeouts: 20, connectionErrors: 0, withoutResponse: 0 });
  expect(msAt(result.posts, 1)).toBeGreaterThan(998);
});

test("a connection reads the album that it has just posted, in turn", async () => {
  const { url, asked } = await albumServer();
  const result = await loadOn(url, { domain: "albums", connections: 3 }).run(phaseOf("closed", { amount: 60 }));
  expect(result).toMatchObject({ accepted: 30, read: 30 });
  const all = [...asked.values()].flat();
  for (const own of asked.values()) {
    for (const [index, request] of own.entries())
      expect(request).toMatch(index % 2 === 0 ? /^POST \/albums$/ : /^GET \/albums\/album-\d+$/);
  }
  expect(new Set(all.filter((request) => request.startsWith("GET"))).size).toBe(30);
});
