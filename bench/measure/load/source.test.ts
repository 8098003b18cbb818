import { expect, test } from "vitest";
import { albumServer, loadOn, serverOf } from "./start-load.fixture.ts";

test("a source's warm-up is a phase by itself, and its groups start on their conditions", async () => {
  const { url, asked } = await albumServer();
  const load = loadOn(url, { domain: "albums" });
  const scale = 0.01;
  const warmUp = await load.run({ model: "source", run: 0, scale, warmUp: true });
  expect(warmUp).toMatchObject({ accepted: 10, read: 10 });
  asked.clear();
  const later = await load.run({ model: "source", run: 3, scale });
  expect(later).toMatchObject({ accepted: 100 * 4, read: 3 * 4, sent: 103 * 4 });
  const thread = [...asked.values()].find(([first]) => first === "POST /albums") ?? [];
  const album = /album-\d+$/.exec(thread[1] ?? "")?.[0];
  const reviews = ["like", "like", "dislike"].map((opinion) => `POST /review/${opinion}/${album}`);
  expect(thread).toEqual(["POST /albums", ...reviews]);
  expect([...asked.values()].flat().filter((request) => /^GET \/review\/album-\d+$/.test(request))).toHaveLength(12);
});

test("each phase of a source begins on its condition and sends the exact number of requests of each kind", async () => {
  const phaseOfHour = (hour: number): number => [0, 3, 8, 19].findLastIndex((from) => hour >= from);
  const seen: number[] = [];
  let reads = 0;
  const server = await serverOf((request, response) => {
    request.resume();
    const [, hour] = /^\/steps\/\d+\/1\/(\d+)\/\d+$/.exec(request.url ?? "") ?? [];
    if (hour === undefined) reads++;
    else seen.push(phaseOfHour(Number(hour)));
    response.writeHead(200).end();
  });
  const result = await loadOn(server.url, { domain: "steps" }).run({ model: "source", run: 0, scale: 0.01 });
  // 3, 16, 32 and 8 threads of 3, 5, 11 and 5 hours with one iteration of 5 requests each.
  const iterations = [3 * 3, 16 * 5, 32 * 11, 8 * 5];
  expect(seen).toEqual(iterations.flatMap((count, phase) => Array(count * 3).fill(phase)));
  expect(reads).toBe(iterations.reduce((sum, count) => sum + count * 2, 0));
  expect(result).toMatchObject({ sent: 2405, accepted: seen.length, read: reads, withoutResponse: 0 });
  expect(result.groups.map(({ name, connections }) => [name, connections])).toEqual([
    ["warm-up", 3],
    ["load", 16],
    ["peak", 32],
    ["cool-down", 8],
  ]);
});

test("a source with retries sends a request until it gets a 2xx, six times at most", async () => {
  const tries = new Map<string, number>();
  const server = await serverOf((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const count = (tries.get(body) ?? 0) + 1;
      tries.set(body, count);
      // Some never succeed, some at once, the others the second time.
      const kind = Number(/"swipee":"(\d+)"/.exec(body)?.[1]) % 7;
      if (kind === 0) response.writeHead(503).end();
      else response.writeHead(kind < 3 || count === 2 ? 201 : 503).end();
    });
  });
  const result = await loadOn(server.url, { domain: "swipes" }).run({ model: "source", run: 0, scale: 0.0036 });
  expect(tries.size).toBe(1800);
  expect(new Set(tries.values())).toEqual(new Set([1, 2, 6]));
  const sent = [...tries.values()].reduce((sum, count) => sum + count, 0);
  expect(result).toMatchObject({ sent, retries: sent - 1800, withoutResponse: 0, connectionErrors: 0 });
  expect(result.accepted).toBe([...tries.values()].filter((count) => count < 6).length);
});

test("paced readers send requests as long as the counted groups of the run do", async () => {
  const asked = new Map<unknown, number[]>();
  const startedAt = performance.now();
  const server = await serverOf((request, response) => {
    request.resume();
    const isRead = request.method === "GET";
    if (isRead) asked.set(request.socket, [...(asked.get(request.socket) ?? []), performance.now() - startedAt]);
    // The two POSTs of each connection take 800 ms.
    setTimeout(() => response.writeHead(isRead ? 200 : 201).end("{}"), isRead ? 1 : 400);
  });
  const result = await loadOn(server.url, { domain: "swipes" }).run({ model: "source", run: 1, scale: 0.0036 });
  const reads = [...asked.values()];
  expect(reads).toHaveLength(5);
  // A read may be late, but not early.
  for (const times of reads) expect((times.length - 1) * 200).toBeLessThan(times.at(-1) ?? 0);
  const total = reads.flat().length;
  expect(total).toBeGreaterThan(5);
  expect(result).toMatchObject({ sent: 1800 + total, accepted: 1800, read: total, withoutResponse: 0, timeouts: 0 });
  expect(result.groups.map(({ name }) => name)).toContain("readers");
});
