import { silentLog } from "../failures/failures.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FixtureOptions } from "./start-fleet.fixture.ts";
import { type Fleet, type FleetOptions, startFleet } from "./start-fleet.ts";

const module = new URL("start-fleet.fixture.ts", import.meta.url);

test("a fleet is started when every thread was ready, and shows its threads and what each reports", async () => {
  const starting: (readonly string[])[] = [];
  const onStarting = ({ threads }: Fleet<object>) => void starting.push(threads.map(({ state }) => state));
  const { fleet, starts } = await start("works", { onStarting });
  expect(starting).toEqual([["starting", "starting"]]);
  expect(fleet.threads).toEqual([0, 1].map((index) => ({ index, state: "ready", restarts: 0, lastError: null })));
  expect(starts[0]).toBe(2);
  const report = { flows: [], held: [], hops: [], problems: [] };
  expect(await fleet.reports()).toEqual([0, 1].map((thread) => ({ thread, report })));
});

test("a thread that dies is started again, the others continue, and metrics leave it out meanwhile", async () => {
  const { fleet, lines } = await start("first exits when asked");
  expect(await fleet.metrics()).toEqual([[{ name: "index", value: 1 }]]);
  await becomes(fleet, 0, { state: "ready", restarts: 1, lastError: "it exited unexpectedly with status 1" });
  expect(fleet.threads[1]).toEqual({ index: 1, state: "ready", restarts: 0, lastError: null });
  const states = lines.filter(({ fields }) => fields["thread"] === 0).map(({ fields }) => fields["state"]);
  expect(states).toEqual(["starting", "ready", "restarting", "starting", "ready"]);
});

test.each([
  ["throws when asked", "thrown: the cause"],
  ["rejects when asked", "rejected"],
])("an uncaught error kills only its thread, and is logged with its cause: %s", async (behaviour, reason) => {
  const { fleet, lines } = await start(behaviour, { threads: 1 });
  // Only the thread's exit ends the waiting for its metrics.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  expect(await fleet.metrics()).toEqual([]);
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
  await becomes(fleet, 0, { state: "ready", restarts: 1, lastError: reason });
  expect(lines).toContainEqual({
    level: "error",
    fields: { thread: 0, state: "restarting", err: expect.any(Error) },
    message: expect.stringMatching(new RegExp(`^test: thread 0 died: ${reason}; restarting in \\d+ ms$`)),
  });
});

test.each([
  ["ends by itself", 1, "it exited unexpectedly with status 0"],
  ["fails to start twice", 2, "cannot connect: connection refused"],
])("a thread that %s is started again", async (behaviour, restarts, lastError) => {
  const { fleet } = await start(behaviour, { threads: 1 });
  await becomes(fleet, 0, { state: "ready", restarts, lastError });
});

test("stop waits for the work in hand and is no death", async () => {
  const { fleet, starts, finished, lines } = await start("works");
  await Promise.all([fleet.stop(), fleet.stop()]);
  expect(finished[0]).toBe(2);
  expect(starts[0]).toBe(2);
  expect(fleet.threads).toEqual([0, 1].map((index) => ({ index, state: "stopped", restarts: 0, lastError: null })));
  expect(lines.filter((line) => line.level !== "info")).toEqual([]);
});

test("a thread that does not stop is terminated after the limit and named", async () => {
  const { fleet, finished, lines } = await start("first hangs when stopping", { stopWithinMs: 400 });
  await fleet.stop();
  expect(finished[0]).toBe(1);
  const [hung, other] = fleet.threads;
  expect([hung?.lastError, hung?.state, other?.state]).toEqual(["it did not stop within 400 ms", "stopped", "stopped"]);
  const message = "test: terminated because they did not stop within 400 ms: thread 0";
  expect(lines.filter(({ level }) => level === "error")).toEqual([
    { level: "error", fields: { threads: [0] }, message },
  ]);
});

test("a blocked thread delays neither metrics nor the stop", async () => {
  const { fleet, lines } = await start("blocks when asked", { stopWithinMs: 100, threads: 1 });
  expect(await fleet.metrics()).toEqual([]);
  await fleet.stop();
  expect(lines.at(-1)?.message).toContain("did not stop within 100 ms");
});

test("an error while stopping is logged, and the thread is stopped", async () => {
  const { fleet, lines } = await start("fails when stopping", { threads: 1 });
  await fleet.stop();
  expect(fleet.threads).toEqual([{ index: 0, state: "stopped", restarts: 0, lastError: "cannot close" }]);
  expect(lines.at(-1)?.message).toBe("test: thread 0 died while stopping: cannot close");
});

test("a thread that waits for its restart is not started after a stop", async () => {
  const { fleet, starts } = await start("first exits when asked", { threads: 1 });
  const other = await start("first exits when asked", { threads: 1 });
  await fleet.metrics();
  const restarting = () => expect(fleet.threads).toMatchObject([{ state: "restarting" }]);
  await vi.waitFor(restarting, { timeout: 10_000, interval: 1 });
  await fleet.stop();
  // The other thread restarts twice, the second time after a longer back-off: by then the first would have restarted
  // too.
  for (const restarts of [1, 2]) {
    await other.fleet.metrics();
    await becomes(other.fleet, 0, { state: "ready", restarts, lastError: expect.any(String) });
  }
  expect(fleet.threads).toMatchObject([{ state: "stopped", restarts: 0 }]);
  expect(starts[0]).toBe(1);
});

test("stopping threads while they start and create zlib streams ends each start and never the process", async () => {
  for (let round = 0; round < 20; round++) {
    const stopping = new AbortController();
    const starts = counter();
    const starting = start("compresses and never starts", { signal: stopping.signal, starts });
    await vi.waitFor(() => expect(starts[0]).toBe(2), { timeout: 10_000, interval: 1 });
    stopping.abort();
    await expect(starting).rejects.toMatchObject({ code: "FLEET_STOPPED" });
  }
});

test("a fleet that was stopped before it starts does not start", async () => {
  const starting = start("works", { signal: AbortSignal.abort() });
  await expect(starting).rejects.toMatchObject({ code: "FLEET_STOPPED" });
});

test.each(["first is silent", "first returns what cannot be sent"])(
  "metrics leave out a thread that cannot send them: %s",
  async (behaviour) => {
    const { fleet } = await start(behaviour);
    expect(await fleet.metrics()).toEqual([[{ name: "index", value: 1 }]]);
    expect(fleet.threads).toMatchObject([{ state: "ready" }, { state: "ready" }]);
  },
);

test("a thread gets its options and an empty environment", async () => {
  const { fleet } = await start("returns its environment");
  expect(await fleet.metrics()).toEqual([0, 1].map((index) => ({ index, environment: {} })));
});

test("options that cannot be cloned are rejected at once", async () => {
  const starting = startFleet({ name: "test", threads: 1, module, options: () => 1, log: silentLog, stopWithinMs: 1 });
  await expect(starting).rejects.toThrow("could not be cloned");
});

interface Line {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

type Options = Partial<
  Pick<FleetOptions<FixtureOptions, object>, "threads" | "stopWithinMs" | "signal" | "onStarting"> & FixtureOptions
>;

async function start(behaviour: string, { starts = counter(), ...o }: Options = {}) {
  const lines: Line[] = [];
  const to = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message });
  const options: FixtureOptions = { behaviour, starts, finished: counter() };
  const log = { ...silentLog, info: to("info"), warn: to("warn"), error: to("error") };
  const fleet = await startFleet({ name: "test", threads: 2, stopWithinMs: 5000, ...o, module, options, log });
  onTestFinished(() => fleet.stop());
  return { fleet, lines, ...options };
}

function counter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

async function becomes(fleet: Fleet<object>, index: number, status: object): Promise<void> {
  await vi.waitFor(() => expect(fleet.threads[index]).toEqual({ index, ...status }), 10_000);
}
