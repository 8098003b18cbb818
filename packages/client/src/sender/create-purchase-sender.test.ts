import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { entriesOf, resultsFor, startScriptedServer } from "../scripted-server.test-kit.ts";
import type { Received, Reply } from "../scripted-server.test-kit.ts";
import type { TallyClientError } from "../tally-client-error.ts";
import { createPurchaseSender, type PurchaseSenderOptions } from "./create-purchase-sender.ts";
import type { Purchase, RejectedPurchase } from "./purchase-queue.ts";

const purchase = (custID: number, more: Partial<Purchase> = {}): Purchase => ({
  storeID: 7,
  custID,
  date: "20261120",
  items: [{ ItemID: 9, numberOfItems: 1 }],
  ...more,
});

const customersOf = (request: Received): readonly number[] => entriesOf(request).map(({ custID }) => custID);

const acceptAll = (request: Received): Reply => resultsFor(request);

async function start(script: Parameters<typeof startScriptedServer>[0], options: Partial<PurchaseSenderOptions> = {}) {
  const { url, received } = await startScriptedServer(script);
  const rejected: RejectedPurchase[] = [];
  const problems: (TallyClientError | undefined)[] = [];
  const sender = createPurchaseSender({
    baseUrl: url,
    firstDelayMs: 1,
    longestDelayMs: 4,
    onRejected: (one) => rejected.push(one),
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  onTestFinished(async () => void (await sender.close({ withinMs: 0 })));
  return { sender, received, rejected, problems };
}

test("purchases that are added during a request travel together in the next one, in their order", async () => {
  const { sender, received } = await start(acceptAll, { entriesPerRequestMax: 6 });
  const added = await Promise.all(Array.from({ length: 10 }, (_, index) => sender.add(purchase(index))));
  await sender.flush();
  expect(received.map(customersOf)).toEqual([[0], [1, 2, 3, 4, 5, 6], [7, 8, 9]]);
  const [request] = received;
  expect(request?.path).toBe("/purchases");
  expect(request?.headers["content-type"]).toBe("application/x-ndjson");
  expect(await Promise.all(added.map(({ settled }) => settled))).toEqual(
    added.map((_, index) => ({ outcome: "accepted", id: `id-${index}` })),
  );
  expect(new Set(added.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(10);
});

test("a request has at most the bytes of its limit; a purchase that is larger is sent alone", async () => {
  const bytesPerRequestMax = 500;
  const { sender, received } = await start(acceptAll, { bytesPerRequestMax });
  for (let n = 0; n < 20; n++) await sender.add(purchase(n));
  await sender.add(purchase(20, { idempotencyKey: "x".repeat(bytesPerRequestMax) }));
  await sender.add(purchase(21));
  await sender.flush();
  const [alone, ...fitting] = received.toSorted((a, b) => b.body.length - a.body.length);
  expect(alone && customersOf(alone)).toEqual([20]);
  expect(Math.max(...fitting.map(({ body }) => body.length))).toBeLessThanOrEqual(bytesPerRequestMax);
  expect(received.flatMap(customersOf)).toEqual(Array.from({ length: 22 }, (_, n) => n));
});

test("the key of a purchase is that of the caller, or random, and each retry has it", async () => {
  const replies: readonly Reply[] = ["disconnect", { status: 503 }, { status: 429 }, "cut short", "silence"];
  const script = (request: Received, index: number) => replies[index] ?? acceptAll(request);
  const { sender, received } = await start(script, { attemptMs: 1500 });
  await sender.add(purchase(1, { idempotencyKey: "receipt-1" }));
  const { idempotencyKey } = await sender.add(purchase(2));
  await sender.flush();
  // A timeout splits the request.
  expect(received).toHaveLength(replies.length + 2);
  const keys = new Map(received.flatMap(entriesOf).map((entry) => [entry.idempotencyKey, entry.custID]));
  expect([...keys]).toEqual([
    ["receipt-1", 1],
    [idempotencyKey, 2],
  ]);
});

test("only entries that may be accepted later are sent again, ahead of newer ones; the others are settled", async () => {
  const statuses = new Map([
    [1, [503, 201]],
    [2, [201]],
    [3, [400]],
    [4, [503, 503, 201]],
    [5, [422]],
  ]);
  const { sender, received, rejected } = await start(async (request, index) => {
    if (index === 0) return "disconnect";
    if (index === 1) await sender.add(purchase(6));
    return resultsFor(request, ({ custID }) => statuses.get(custID)?.shift() ?? 201);
  });
  const added = await Promise.all([1, 2, 3, 4, 5].map((custID) => sender.add(purchase(custID))));
  await sender.flush();
  expect(received.map(customersOf)).toEqual([[1], [1, 2, 3, 4, 5], [1, 4, 6], [4]]);
  expect(await Promise.all(added.map(({ settled }) => settled))).toEqual([
    { outcome: "accepted", id: "id-1" },
    { outcome: "accepted", id: "id-2" },
    { outcome: "rejected", status: 400, error: "error 400" },
    { outcome: "accepted", id: "id-4" },
    { outcome: "rejected", status: 422, error: "error 422" },
  ]);
  expect(rejected.map(({ purchase: { custID }, status, error }) => [custID, status, error])).toEqual([
    [3, 400, "error 400"],
    [5, 422, "error 422"],
  ]);
});

test.each([
  ["the login page of a network", { status: 200, body: "<html>Sign in to the network</html>" }],
  ["a redirect to a login page", { status: 302, headers: { location: "http://127.0.0.1:9/login" } }],
  ["a proxy's 403", { status: 403, body: "<html>Forbidden</html>" }],
  ["a proxy's 404", { status: 404, body: "no such site" }],
  ["a body that is no object", { status: 200, body: "7" }],
  ["a body without results", { status: 200, body: { message: "x" } }],
  ["results of another request", { status: 201, body: { accepted: 0, refused: 0, results: [] } }],
  ["results in another order", { status: 207, body: { results: [{ index: 1, status: 201, id: "a" }] } }],
  ["a result without an id", { status: 207, body: { results: [{ index: 0, status: 201 }] } }],
  ["a result without an error", { status: 207, body: { results: [{ index: 0, status: 400 }] } }],
  ["a result without a status", { status: 207, body: { results: [{ index: 0, error: "x" }] } }],
] as const)("after %s purchases stay and are sent again", async (_, page) => {
  const { sender, received, problems } = await start((request, index) => (index < 3 ? page : acceptAll(request)));
  const { settled } = await sender.add(purchase(1));
  expect(await settled).toEqual({ outcome: "accepted", id: "id-1" });
  expect(received).toHaveLength(4);
  expect(problems.map((problem) => problem?.code)).toEqual(["UNREACHABLE", undefined]);
});

test("after a success, a purchase that its API key may not send is rejected alone", async () => {
  const forbidden = { status: 403, body: { results: [{ index: 0, status: 403, error: "another store" }] } };
  const { sender } = await start((request, index) => (index === 1 ? forbidden : acceptAll(request)));
  const outcomes = [];
  for (const custID of [1, 2, 3]) outcomes.push(await (await sender.add(purchase(custID))).settled);
  expect(outcomes).toMatchObject([{ outcome: "accepted" }, { status: 403 }, { outcome: "accepted" }]);
});

test("before a success, a purchase of another store stops the sender, also beside one that is wrong", async () => {
  const { sender, rejected } = await start((request, index) =>
    index === 0 ? "disconnect" : resultsFor(request, ({ custID }) => (custID === 1 ? 400 : 403)),
  );
  for (const custID of [1, 2]) await sender.add(purchase(custID));
  await expect(sender.flush()).rejects.toMatchObject({ code: "STOPPED" });
  expect([sender.waiting, rejected]).toEqual([2, []]);
});

test("onProblem is called when the code of the problem changes, and when the problem ends", async () => {
  const rejection: Reply = { status: 401, body: { message: "expected an API key" } };
  const replies: readonly Reply[] = ["disconnect", { status: 503 }, rejection, { status: 503 }, "disconnect"];
  const { sender, problems } = await start((request, index) => replies[index] ?? acceptAll(request));
  await sender.add(purchase(1));
  await expect(sender.flush()).rejects.toMatchObject({ code: "STOPPED" });
  sender.resume();
  await sender.flush();
  expect(sender.problem).toBeUndefined();
  expect(problems.map((problem) => problem?.code)).toEqual([
    "UNREACHABLE",
    "STOPPED",
    undefined,
    "UNREACHABLE",
    undefined,
  ]);
});

test("a request that is too large is split; a single purchase that is too large is rejected", async () => {
  const tooLarge: Reply = { status: 413, body: { message: "body: too large" } };
  const tooLargeForProxy: Reply = { status: 413, body: "<html>Too large</html>" };
  const { sender, received, rejected } = await start((request, index) => {
    if (index === 0) return "disconnect";
    const customers = customersOf(request);
    if (customers.length > 3) return tooLargeForProxy;
    return customers.includes(5) ? tooLarge : acceptAll(request);
  });
  for (let n = 0; n < 12; n++) await sender.add(purchase(n));
  await sender.flush();
  expect(rejected.map(({ purchase: { custID }, status, error }) => [custID, status, error])).toEqual([
    [5, 413, "413 body: too large"],
  ]);
  expect(received.map(customersOf).some(({ length }) => length === 12)).toBe(true);
});

test.each<[string, Reply]>([
  ["is not complete in time", "silence"],
  ["gets 408", { status: 408 }],
])("a request that %s is sent again with half of its purchases", async (_, failure) => {
  const { sender, received } = await start(
    (request, index) => {
      if (index === 0) return "disconnect";
      return customersOf(request).length > 3 ? failure : acceptAll(request);
    },
    { attemptMs: 1500 },
  );
  for (let n = 0; n < 12; n++) await sender.add(purchase(n));
  await sender.flush(AbortSignal.timeout(30_000));
  expect(received.slice(1, 4).map((request) => customersOf(request).length)).toEqual([12, 6, 3]);
});

test.each([
  ...[400, 401, 403, 404, 405, 415, 422, 301].map((status) => [status, { message: "expected an API key" }] as const),
  // The key is for other stores.
  [403, { results: [{ index: 0, status: 403, error: "expected an API key" }] }] as const,
])(
  "after %i for a whole request nothing is sent until resume(), and nothing leaves the buffer",
  async (status, body) => {
    let isWrong = true;
    const { sender, received, problems } = await start((request) =>
      isWrong ? { status, headers: { location: "/elsewhere" }, body } : acceptAll(request),
    );
    const { settled } = await sender.add(purchase(1));
    await expect(sender.flush()).rejects.toMatchObject({
      code: "STOPPED",
      message: `the gateway rejects every request of the sender: ${status} expected an API key`,
    });
    await sender.add(purchase(2));
    expect([received.length, sender.waiting]).toEqual([1, 2]);
    isWrong = false;
    sender.resume();
    await sender.flush();
    expect(await settled).toEqual({ outcome: "accepted", id: "id-1" });
    expect(problems.map((problem) => problem?.code)).toEqual(["STOPPED", undefined]);
  },
);

test("when the buffer is full add() rejects, and takes purchases again when others have left", async () => {
  let isAway = true;
  const { sender } = await start((request) => (isAway ? { status: 503 } : acceptAll(request)), { eventsMax: 2 });
  const first = await Promise.allSettled([1, 2, 3].map((custID) => sender.add(purchase(custID))));
  expect(first.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  await expect(sender.add(purchase(3))).rejects.toMatchObject({
    code: "BUFFER_FULL",
    message: "the purchase is not taken, because the sender's buffer is full: it holds 2 events",
  });
  isAway = false;
  await sender.flush();
  expect((await sender.add(purchase(3))).idempotencyKey).not.toBe("");
});

test("the buffer has a limit of bytes, which are free again when a purchase has left", async () => {
  const bytesMax = 250;
  const { sender } = await start(acceptAll, { bytesMax });
  for (let n = 0; n < 3; n++) {
    const [first, second] = await Promise.allSettled([sender.add(purchase(1)), sender.add(purchase(2))]);
    const message = expect.stringMatching(/: it holds \d+ of 250 bytes, the purchase has \d+$/);
    expect([first?.status, second]).toMatchObject(["fulfilled", { reason: { code: "BUFFER_FULL", message } }]);
    await sender.flush();
  }
});

test("close() sends what waits, also during a long delay, and add() then rejects", async () => {
  const { sender, received } = await start((request, index) =>
    index === 0 ? { status: 503, headers: { "retry-after": "50" } } : acceptAll(request),
  );
  const { settled } = await sender.add(purchase(1));
  await vi.waitFor(() => expect(sender.problem).toMatchObject({ code: "UNREACHABLE" }), 10_000);
  const closed = sender.close();
  await expect(sender.add(purchase(2))).rejects.toMatchObject({ code: "CLOSED" });
  expect(await closed).toEqual({ waiting: 0 });
  expect(await settled).toEqual({ outcome: "accepted", id: "id-1" });
  expect(received).toHaveLength(2);
});

test("without time limits a request takes as long as it needs", async () => {
  const script = async (request: Received) => (await delay(200), acceptAll(request));
  const { sender } = await start(script, { attemptMs: Infinity });
  await sender.add(purchase(1));
  expect(await sender.close({ withinMs: Infinity })).toEqual({ waiting: 0 });
});

test.each<[string, Reply]>([
  ["a request under way", "silence"],
  ["a delay", { status: 503, headers: { "retry-after": "50" } }],
])("close() ends %s and flush() after its time, and says how many purchases are left", async (_, reply) => {
  const { sender, received } = await start(() => reply);
  const { settled } = await sender.add(purchase(1));
  await sender.add(purchase(2));
  await vi.waitFor(() => expect(received).toHaveLength(1), 10_000);
  const flushed = sender.flush().catch((error: unknown) => error);
  expect(await sender.close({ withinMs: 500 })).toEqual({ waiting: 2 });
  expect(await flushed).toMatchObject({ code: "CLOSED" });
  expect(await settled).toEqual({ outcome: "unsettled" });
});

test("flush() ends with its signal", async () => {
  const { sender } = await start(() => "silence");
  await sender.add(purchase(1));
  await expect(sender.flush(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
});

test("the API key is sent, and the base path is kept", async () => {
  const { sender, received } = await start(acceptAll);
  await sender.add(purchase(1));
  await sender.flush();
  const { url } = await startScriptedServer(() => ({ status: 404, body: { message: "no such path" } }));
  expect(received[0]?.headers.authorization).toBeUndefined();
  const seen: (readonly unknown[])[] = [];
  const other = createPurchaseSender({
    baseUrl: `${url}/base/`,
    apiKey: "k1",
    onRejected: () => undefined,
    fetch: (target, init) => {
      seen.push([target, new Headers(init.headers).get("authorization")]);
      return fetch(target, init);
    },
  });
  await other.add(purchase(1));
  await expect(other.flush()).rejects.toMatchObject({ code: "STOPPED" });
  expect(seen).toEqual([[`${url}/base/purchases`, "Bearer k1"]]);
});
