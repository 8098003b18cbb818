import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { domains } from "@tally/domains";
import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { expect, onTestFinished, test, vi } from "vitest";
import { lengthOf } from "../with-progress.ts";
import type { Fill, LoadPlan, Phase, PhaseResult } from "./load-plan.ts";
import { seedOfThread } from "./requests.ts";
import { startLoad } from "./start-load.ts";

async function serverOf(listener: RequestListener) {
  // Asked on each connection before an open load begins; no part of it.
  const server = createServer((request, response) => {
    if (request.url === "/health/live") response.end();
    else listener(request, response);
  });
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
  };
}

function loadOn(url: string, more: Partial<LoadPlan> = {}, threads = 1) {
  const load = startLoad(
    {
      urls: [url],
      domain: "purchases",
      connections: 10,
      seed: 1,
      spread: "wide",
      readShare: 0,
      answerWithinMs: 5000,
      ...more,
    },
    threads,
  );
  onTestFinished(() => load.close());
  return {
    run: async (phase: Phase | Fill, idsFile?: string) => (await load.prepare(phase))(idsFile),
    progress: () => load.progress(),
  };
}

const seconds = (count: number) => ({ name: "seconds", seconds: count }) as const;
const msAt = (encoded: PhaseResult["posts"], percentile: number): number =>
  decodeFromCompressedBase64(encoded).getValueAtPercentile(percentile) / 1000;

test.each(["closed", "open"] as const)(
  "a server that takes 50 ms for everything reads 50 ms in the %s model",
  async (model) => {
    const server = await serverOf((request, response) => {
      request.resume();
      setTimeout(() => response.writeHead(201).end(), 50);
    });
    const phase =
      model === "open"
        ? ({ model, until: seconds(2), perSecond: 100 } as const)
        : ({ model, until: seconds(2) } as const);
    const result = await loadOn(server.url).run(phase);
    // Where others use the processor too, only the quickest show what the server takes.
    expect(msAt(result.posts, 1)).toBeGreaterThan(49);
    expect(msAt(result.posts, 5)).toBeLessThan(70);
    expect(result).toMatchObject({ timeouts: 0, connectionErrors: 0, unanswered: 0, sent: result.accepted });
  },
);

test("a server that stands still for a second shows it in every request that came meanwhile, in the open model only", async () => {
  let startedAt: number | undefined;
  const server = await serverOf((request, response) => {
    request.resume();
    startedAt ??= performance.now();
    const at = performance.now() - startedAt;
    // From 1 s to 2 s of 4.
    setTimeout(() => response.writeHead(201).end(), at > 1000 && at < 2000 ? 2000 - at : 1);
  });
  const open = await loadOn(server.url).run({ model: "open", until: seconds(4), perSecond: 200 });
  // A quarter of all came while it stood still; a hundredth of all had to wait for nearly all of that second.
  expect(msAt(open.posts, 85)).toBeGreaterThan(200);
  expect(msAt(open.posts, 99)).toBeGreaterThan(800);
  expect(open.sent).toBe(800);
  startedAt = undefined;
  const closed = await loadOn(server.url).run({ model: "closed", until: seconds(4) });
  expect(msAt(closed.posts, 50)).toBeLessThan(200);
});

test("exactly the connections asked for are opened, exactly the requests asked for are sent, over several threads too", async () => {
  const server = await serverOf((request, response) => {
    request.resume();
    response.writeHead(201, { "Tally-Event-Id": "01a1fb30-2980-71ee-89cd-4f71757df440" }).end();
  });
  const directory = await mkdtemp(join(tmpdir(), "tally-load-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const idsFile = join(directory, "ids");
  const result = await loadOn(server.url, { connections: 51 }, 2).run(
    { model: "closed", until: { name: "amount", amount: 1003 } },
    idsFile,
  );
  expect(server.connections).toBe(51);
  expect(result).toMatchObject({ sent: 1003, accepted: 1003, unanswered: 0, statuses: { "201": 1003 } });
  expect(result.perSecond.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1003);
  expect((await readFile(idsFile, "utf8")).trim().split("\n")).toHaveLength(1003);
});

test("all connections are there when the first request of an open load is due, and no more are opened", async () => {
  let early = 0;
  const server = await serverOf((request, response) => {
    early ||= server.connections;
    request.resume();
    response.writeHead(201).end();
  });
  const until = { name: "amount", amount: 200 } as const;
  const result = await loadOn(server.url, { connections: 50 }).run({ model: "open", until, perSecond: 1000 });
  expect({ early, connections: server.connections, sent: result.sent }).toEqual({
    early: 50,
    connections: 50,
    sent: 200,
  });
});

test.each(["closed", "open"] as const)(
  "gateways get as many connections each, however many threads share them, and no more are opened: %s model",
  async (model) => {
    const answer: RequestListener = (request, response) => {
      request.resume();
      response.writeHead(201).end();
    };
    const servers = await Promise.all([serverOf(answer), serverOf(answer), serverOf(answer)]);
    const urls = servers.map(({ url }) => url);
    const until = { name: "amount", amount: 300 } as const;
    const phase = model === "open" ? ({ model, until, perSecond: 1000 } as const) : ({ model, until } as const);
    const result = await loadOn("", { urls, connections: 6 }, 4).run(phase);
    expect(result).toMatchObject({ sent: 300, accepted: 300, connectionErrors: 0 });
    expect(servers.map(({ connections }) => connections)).toEqual([2, 2, 2]);
  },
);

test("refusals, broken connections and requests that are never answered are told apart, and none is a success", async () => {
  let n = 0;
  const server = await serverOf((request, response) => {
    request.resume();
    n++;
    if (n % 4 === 0) response.writeHead(503).end();
    else if (n % 4 === 1) request.socket.destroy();
    else if (n % 4 === 2) response.writeHead(201).end();
  });
  const result = await loadOn(server.url, { connections: 4, answerWithinMs: 1000 }).run({
    model: "closed",
    until: seconds(2),
  });
  const { sent, accepted, timeouts, unanswered, statuses } = result;
  expect(accepted).toBe(statuses["201"]);
  expect(statuses["503"]).toBeGreaterThan(0);
  expect(timeouts).toBeGreaterThan(0);
  expect(unanswered).toBeGreaterThan(0);
  expect(accepted + (statuses["503"] ?? 0) + timeouts + unanswered).toBe(sent);
});

test.each(["closed", "open"] as const)(
  "a request that is given up counts with the time that it has waited, and does not stretch the load, in the %s model",
  async (model) => {
    let n = 0;
    const server = await serverOf((request, response) => {
      request.resume();
      // One in five never; the first of all among them.
      if (n++ % 5 !== 0) response.writeHead(201).end();
    });
    const until = { name: "amount", amount: 50 } as const;
    const phase = model === "open" ? { model, until, perSecond: 500 } : { model, until };
    const load = loadOn(server.url, { connections: model === "open" ? 50 : 10, answerWithinMs: 2000 });
    const result = await load.run(phase);
    expect(result).toMatchObject({ accepted: 40, timeouts: 10, connectionErrors: 0 });
    expect(decodeFromCompressedBase64(result.posts).totalCount).toBe(50);
    expect(msAt(result.posts, 79)).toBeLessThan(2000);
    expect(msAt(result.posts, 82)).toBeGreaterThan(1998); // three digits
    if (model === "open") expect(result.seconds).toBeLessThan(2);
  },
);

test("what waits in line in vain is given up, not broken, in the open model", async () => {
  const server = await serverOf((request) => request.resume());
  const result = await loadOn(server.url, { connections: 1, answerWithinMs: 1000 }).run({
    model: "open",
    until: { name: "amount", amount: 20 },
    perSecond: 200,
  });
  expect(result).toMatchObject({ sent: 20, timeouts: 20, connectionErrors: 0, unanswered: 0 });
  expect(msAt(result.posts, 1)).toBeGreaterThan(998);
});

/** Answers each POST with an id of its own, and keeps what each connection has asked, in order. */
async function albumServer() {
  const asked = new Map<unknown, string[]>();
  let n = 0;
  const server = await serverOf((request, response) => {
    const own = asked.get(request.socket) ?? [];
    asked.set(request.socket, own);
    own.push(`${request.method} ${request.url}`);
    request.resume();
    request.on("end", () =>
      response.writeHead(200, request.method === "POST" ? { "Tally-Event-Id": `album-${n++}` } : {}).end(),
    );
  });
  return { url: server.url, asked };
}

test("a connection asks for what it was told: an album is posted and then read, in turn", async () => {
  const { url, asked } = await albumServer();
  const until = { name: "amount", amount: 60 } as const;
  const result = await loadOn(url, { domain: "albums", connections: 3 }).run({ model: "closed", until });
  expect(result).toMatchObject({ accepted: 30, read: 30 });
  const all = [...asked.values()].flat();
  for (const own of asked.values()) {
    for (const [index, request] of own.entries())
      expect(request).toMatch(index % 2 === 0 ? /^POST \/albums$/ : /^GET \/albums\/album-\d+$/);
  }
  expect(new Set(all.filter((request) => request.startsWith("GET"))).size).toBe(30);
});

test("a source's warm-up is sent by itself, and its groups start when it says", async () => {
  const { url, asked } = await albumServer();
  const load = loadOn(url, { domain: "albums" });
  const scale = 0.01;
  const warmUp = await load.run({ model: "source", run: 0, scale, warmUp: true });
  expect(warmUp).toMatchObject({ accepted: 10, read: 10 });
  asked.clear();
  const later = await load.run({ model: "source", run: 3, scale });
  expect(later).toMatchObject({ accepted: 300 * 4, read: 3 * 4, sent: 303 * 4 });
  const thread = [...asked.values()].find(([first]) => first === "POST /albums") ?? [];
  const album = /album-\d+$/.exec(thread[1] ?? "")?.[0];
  expect(thread).toEqual([
    "POST /albums",
    `POST /review/like/${album}`,
    `POST /review/like/${album}`,
    `POST /review/dislike/${album}`,
  ]);
  expect([...asked.values()].flat().filter((request) => /^GET \/review\/album-\d+$/.test(request))).toHaveLength(12);
});

/** What each connection of a load has sent, in order. */
async function sentBy(
  plan: Partial<LoadPlan>,
  threads = 1,
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

test("the same seed over as many threads sends the same requests, and no thread those of another thread or of a seed beside it", async () => {
  // Of one connection each, which sends all that its thread does; in any order of the threads.
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
  "a fill of %i over %i threads has as many POSTs accepted, whatever share of GETs is measured later",
  async (amount, threads) => {
    let n = 0;
    const methods: (string | undefined)[] = [];
    const server = await serverOf((request, response) => {
      request.resume();
      methods.push(request.method);
      // Every second is refused.
      if (n++ % 2 === 0) response.writeHead(503).end();
      else response.writeHead(201, { "Tally-Event-Id": "01a1fb30-2980-71ee-89cd-4f71757df440" }).end();
    });
    const load = loadOn(server.url, { domain: "albums", readShare: 1, connections: 12 }, threads);
    expect(await load.run({ model: "fill", amount })).toMatchObject({ accepted: amount, read: 0, unanswered: 0 });
    expect(new Set(methods)).toEqual(new Set(["POST"]));
  },
);

test.each(domains.map(({ name }) => name))(
  "after a fill the same requests are sent as without one: %s",
  async (domain) => {
    const plan = { domain, connections: 1 };
    const [without, with50] = [await sentBy(plan), await sentBy(plan, 1, 50)];
    expect(without).toEqual(with50);
  },
);

test("no two threads of any seeds have the same seed, and the first of each has the seed itself", () => {
  const seeds = Array.from({ length: 300 }, (_, seed) =>
    Array.from({ length: 16 }, (_thread, index) => seedOfThread(seed + 1, index)),
  );
  expect(new Set(seeds.flat()).size).toBe(300 * 16);
  expect(seeds.map(([first]) => first)).toEqual(seeds.map((_, seed) => seed + 1));
});

test("a source's phases: each begins when it should, and exactly as many requests of each kind are sent as it says", async () => {
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
  expect(result).toMatchObject({ sent: 2405, accepted: seen.length, read: reads, unanswered: 0 });
  expect(result.groups.map(({ name, connections }) => [name, connections])).toEqual([
    ["warm-up", 3],
    ["load", 16],
    ["peak", 32],
    ["cool-down", 8],
  ]);
});

test("a request of a source that allows retries is sent again until it is answered 2xx, six times at most", async () => {
  const tries = new Map<string, number>();
  const server = await serverOf((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const count = (tries.get(body) ?? 0) + 1;
      tries.set(body, count);
      // Every seventh never succeeds; one in three at once; the others the second time.
      const kind = Number(/"swipee":"(\d+)"/.exec(body)?.[1]) % 7;
      if (kind === 0) response.writeHead(503).end();
      else response.writeHead(kind < 3 || count === 2 ? 201 : 503).end();
    });
  });
  const result = await loadOn(server.url, { domain: "swipes" }).run({ model: "source", run: 0, scale: 0.0036 });
  expect(tries.size).toBe(1800);
  expect(new Set(tries.values())).toEqual(new Set([1, 2, 6]));
  const sent = [...tries.values()].reduce((sum, count) => sum + count, 0);
  expect(result).toMatchObject({ sent, retries: sent - 1800, unanswered: 0, connectionErrors: 0 });
  expect(result.accepted).toBe([...tries.values()].filter((count) => count < 6).length);
});

test.each([
  ["steps", 0, 2405],
  ["swipes", 0, 1800],
  ["swipes", 1, 1800],
])(
  "a source's load tells at any time how many of its requests are over, and at its end all of them: %s, run %i",
  async (domain, run, requests) => {
    const phase = { model: "source", run, scale: domain === "steps" ? 0.01 : 0.0036 } as const;
    const held: (() => void)[] = [];
    let [posts, over, isReleased] = [0, 0, false];
    const server = await serverOf((request, response) => {
      request.resume();
      const isRead = request.method === "GET";
      // Posts from the 600th on are held; then one in ten is refused, and sent again where the source does so.
      const answer = (): void => void response.writeHead(isReleased && ++posts % 10 === 0 ? 503 : 200).end("{}");
      if (!isRead && !isReleased && ++posts > 600) {
        held.push(answer);
        return;
      }
      answer();
      // Who asks meanwhile, as often as it likes, is no part of it.
      if (!isRead || domain === "steps") over++;
    });
    const load = loadOn(server.url, { domain });
    const done = load.run(phase);
    await vi.waitFor(
      async () => {
        expect(held.length).toBeGreaterThan(0);
        expect(await load.progress()).toBe(over);
      },
      { timeout: 20_000 },
    );
    expect(over).toBeGreaterThanOrEqual(600);
    expect(over).toBeLessThan(requests);
    isReleased = true;
    for (const answer of held) answer();
    await done;
    expect(lengthOf(domain, phase)).toEqual({ requests });
    expect(await load.progress()).toBe(requests);
  },
);

test("readers ask at their pace as long as the others of a source's run post, and no longer", async () => {
  const asked = new Map<unknown, number[]>();
  const startedAt = performance.now();
  const server = await serverOf((request, response) => {
    request.resume();
    const isRead = request.method === "GET";
    if (isRead) asked.set(request.socket, [...(asked.get(request.socket) ?? []), performance.now() - startedAt]);
    // Each connection has two posts: they take 800 ms.
    setTimeout(() => response.writeHead(isRead ? 200 : 201).end("{}"), isRead ? 1 : 400);
  });
  const result = await loadOn(server.url, { domain: "swipes" }).run({ model: "source", run: 1, scale: 0.0036 });
  const reads = [...asked.values()];
  expect(reads).toHaveLength(5);
  // A read may come late, but none early.
  for (const times of reads) expect((times.length - 1) * 200).toBeLessThan(times.at(-1) ?? 0);
  const total = reads.flat().length;
  expect(total).toBeGreaterThan(5);
  expect(result).toMatchObject({ sent: 1800 + total, accepted: 1800, read: total, unanswered: 0, timeouts: 0 });
  expect(result.groups.map(({ name }) => name)).toContain("readers");
});
