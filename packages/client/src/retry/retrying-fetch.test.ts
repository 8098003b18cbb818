import { expect, test } from "vitest";
import { startScriptedServer, type Reply } from "../scripted-server.test-kit.ts";
import { retryingFetch } from "./retrying-fetch.ts";

const quick = { firstDelayMs: 1, longestDelayMs: 4 };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const post = (url: string, init: RequestInit = {}): Request =>
  new Request(`${url}/purchase`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"items":[]}',
    ...init,
  });

/** A server that gives these replies one after the other, then 201. */
const startWith = (...replies: readonly Reply[]) =>
  startScriptedServer((_, index) => replies[index] ?? { status: 201, body: { done: true } });

test.each<[string, Reply]>([
  ["a connection that ends without a response", "disconnect"],
  ["a response that breaks off", "cut short"],
  ["a response that does not come in time", "silence"],
  ...[408, 409, 429, 500, 502, 503, 504].map((status): [string, Reply] => [`${status}`, { status }]),
])("a POST is sent again after %s, with the same key and bytes", async (_, failure) => {
  const { url, received } = await startWith(failure, failure);
  const response = await retryingFetch({ ...quick, attemptMs: failure === "silence" ? 1500 : 15_000 })(post(url));
  expect([response.status, await response.json()]).toEqual([201, { done: true }]);
  expect(received).toHaveLength(3);
  const [first] = received;
  expect(first?.headers["idempotency-key"]).toMatch(uuid);
  for (const { headers, body } of received) {
    expect(headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
    expect(body).toBe('{"items":[]}');
  }
});

test.each([301, 307, 400, 401, 403, 404, 405, 413, 415, 422])(
  "a POST or GET that gets %i is not sent again",
  async (status) => {
    const reply = { status, headers: { location: "/elsewhere" }, body: { message: "no" } };
    const { url, received } = await startWith(reply, reply);
    for (const request of [post(url), new Request(`${url}/items/store/5`)]) {
      const response = await retryingFetch(quick)(request);
      expect([response.status, await response.json()]).toEqual([status, { message: "no" }]);
    }
    expect(received).toHaveLength(2);
  },
);

test("each POST but a refund has a new key, and a key of the caller stays", async () => {
  const { url, received } = await startWith("disconnect");
  const call = retryingFetch(quick);
  await call(post(url, { headers: { "idempotency-key": "receipt-1" } }));
  await call(post(url));
  await call(post(url));
  await call(new Request(`${url}/refunds`, { method: "POST", body: "[]" }));
  const [first, again, second, third, refund] = received.map(({ headers }) => headers["idempotency-key"]);
  expect([first, again]).toEqual(["receipt-1", "receipt-1"]);
  expect(second).toMatch(uuid);
  expect(third).not.toBe(second);
  expect(refund).toBeUndefined();
});

test("a GET is retried, without a key", async () => {
  const { url, received } = await startWith("disconnect", { status: 503 });
  const response = await retryingFetch(quick)(new Request(`${url}/items/store/5`));
  expect(response.status).toBe(201);
  expect(received.map(({ method, headers }) => [method, headers["idempotency-key"]])).toEqual([
    ["GET", undefined],
    ["GET", undefined],
    ["GET", undefined],
  ]);
});

test("a form is sent again with the same bytes", async () => {
  const { url, received } = await startWith({ status: 503 });
  const form = new FormData();
  form.append("image", new Blob(["picture"]), "a.png");
  form.append("profile", '{"artist":"A","title":"T","year":"2000"}');
  await retryingFetch(quick)(new Request(`${url}/albums`, { method: "POST", body: form }));
  const [first, second] = received;
  expect(first?.body).toContain("picture");
  expect([second?.body, second?.headers["content-type"]]).toEqual([first?.body, first?.headers["content-type"]]);
});

test("after the last attempt the call resolves with its response", async () => {
  const { url, received } = await startScriptedServer(() => ({ status: 503, body: { message: "not taken" } }));
  const response = await retryingFetch({ ...quick, attemptsMax: 3 })(post(url));
  expect([response.status, await response.json()]).toEqual([503, { message: "not taken" }]);
  expect(received).toHaveLength(3);
});

test("without any response the call rejects with UNREACHABLE and the cause", async () => {
  const { url, received } = await startScriptedServer(() => "disconnect");
  await expect(retryingFetch({ ...quick, attemptsMax: 3 })(post(url))).rejects.toMatchObject({
    code: "UNREACHABLE",
    message: `no usable response from the gateway: POST ${url}/purchase, attempts: 3`,
    cause: expect.any(TypeError),
  });
  expect(received).toHaveLength(3);
});

test("no attempt begins after the time limit: a longer Retry-After ends the call at once", async () => {
  const { url, received } = await startScriptedServer(() => ({ status: 503, headers: { "retry-after": "31" } }));
  expect((await retryingFetch(quick)(post(url))).status).toBe(503);
  expect(received).toHaveLength(1);
});

test("the signal of the caller ends an attempt under way and a delay, with its reason", async () => {
  const reason = new Error("the till closes");
  for (const reply of ["silence", { status: 503, headers: { "retry-after": "3600" } }] as const) {
    const caller = new AbortController();
    const { url, received } = await startScriptedServer(() => {
      setImmediate(() => caller.abort(reason));
      return reply;
    });
    const call = retryingFetch({ ...quick, withinMs: 7_200_000 });
    await expect(call(post(url, { signal: caller.signal }))).rejects.toBe(reason);
    expect(received).toHaveLength(1);
  }
});

test("a stream of events is returned when it begins, and outlives the time limit of an attempt", async () => {
  const events = Array.from({ length: 8 }, (_, index) => `data: ${index}\n\n`);
  const { url, received } = await startScriptedServer(() => ({ events, eventsEveryMs: 300 }));
  const response = await retryingFetch({ ...quick, attemptMs: 1500 })(new Request(`${url}/live`));
  expect(await response.text()).toBe(events.join(""));
  expect(received).toHaveLength(1);
});

test("the signal of the caller ends a stream of events", async () => {
  const { url } = await startScriptedServer(() => ({ events: Array(1000).fill("data: 1\n\n"), eventsEveryMs: 50 }));
  const caller = new AbortController();
  const response = await retryingFetch(quick)(new Request(`${url}/live`, { signal: caller.signal }));
  const body = response.text();
  caller.abort(new Error("the viewer closes"));
  await expect(body).rejects.toThrow("the viewer closes");
});
