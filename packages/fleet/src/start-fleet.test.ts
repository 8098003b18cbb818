import { afterEach, expect, test, vi } from "vitest";
import { silentLog } from "@tally/failures";
import type { FixtureOptions } from "./start-fleet.fixture.ts";
import { type Fleet, startFleet } from "./start-fleet.ts";

const module = new URL("start-fleet.fixture.ts", import.meta.url);
const fleets: Fleet[] = [];
afterEach(() => Promise.all(fleets.splice(0).map((fleet) => fleet.stop())));

test("a fleet is there when every thread was ready", async () => {
  const { fleet, starts } = await start("works", { threads: 3 });
  expect(fleet.threads).toEqual([0, 1, 2].map((index) => ({ index, state: "ready", restarts: 0 })));
  expect(starts[0]).toBe(3);
});

test("a thread that dies is started again and the others go on", async () => {
  const { fleet, lines } = await start("works");
  await fleet.terminate(0);
  expect(fleet.threads).toMatchObject([{ state: "restarting" }, { state: "ready", restarts: 0 }]);
  await becomes(fleet, 0, { state: "ready", restarts: 1, lastError: "it exited with 1, which nobody asked for" });
  expect(fleet.threads[1]).toEqual({ index: 1, state: "ready", restarts: 0 });
  expect(lines.filter((line) => line.fields["thread"] === 0).map((line) => line.fields["state"])).toEqual([
    "starting",
    "ready",
    "restarting",
    "starting",
    "ready",
  ]);
});

test.each([
  ["throws when told", "thrown: the cause"],
  ["rejects when told", "rejected"],
])(
  "an error that nothing catches kills just its thread, and is logged with its cause: %s",
  async (behaviour, reason) => {
    const { fleet, lines } = await start(behaviour, { threads: 1 });
    const asked = performance.now();
    expect(await fleet.metrics()).toEqual([]);
    expect(performance.now() - asked).toBeLessThan(900); // what waits for a thread is rejected when it exits
    await becomes(fleet, 0, { state: "ready", restarts: 1, lastError: reason });
    expect(lines).toContainEqual({
      level: "error",
      fields: { thread: 0, state: "restarting", err: expect.any(Error) },
      message: expect.stringMatching(new RegExp(`^test: thread 0 died: ${reason}; it starts again in \\d+ ms$`)),
    });
  },
);

test("a thread that ends unasked is started again", async () => {
  const { fleet } = await start("ends by itself", { threads: 1 });
  await vi.waitFor(() => expect(fleet.threads[0]).toMatchObject({ state: "ready", restarts: 1 }), 10_000);
  expect(fleet.threads[0]?.lastError).toBe("it exited with 0, which nobody asked for");
});

test("a thread that cannot start is tried again until it can", async () => {
  const { fleet, starts } = await start("fails to start twice", { threads: 1 });
  expect(fleet.threads).toEqual([
    { index: 0, state: "ready", restarts: 2, lastError: "cannot connect: connection refused" },
  ]);
  expect(starts[0]).toBe(3);
});

test("stop waits for the work in hand and is no death", async () => {
  const { fleet, starts, finished, lines } = await start("works");
  await Promise.all([fleet.stop(), fleet.stop()]);
  expect(finished[0]).toBe(2);
  expect(starts[0]).toBe(2);
  expect(fleet.threads).toEqual([0, 1].map((index) => ({ index, state: "stopped", restarts: 0 })));
  expect(lines.filter((line) => line.level !== "info")).toEqual([]);
});

test("a thread that will not stop is terminated after the limit and named", async () => {
  const { fleet, finished, lines } = await start("first hangs when stopping", { stopWithinMs: 400 });
  await fleet.stop();
  expect(finished[0]).toBe(1);
  expect(fleet.threads).toMatchObject([
    { state: "stopped", lastError: "it did not stop within 400 ms" },
    { state: "stopped" },
  ]);
  expect(lines.filter((line) => line.level === "error")).toEqual([
    { level: "error", fields: { threads: [0] }, message: "test: killed after 400 ms without a stop: thread 0" },
  ]);
});

test("a blocked thread neither holds up metrics nor the stop", async () => {
  const { fleet, lines } = await start("blocks when told", { stopWithinMs: 100, threads: 1 });
  expect(await fleet.metrics()).toEqual([]);
  await fleet.stop();
  expect(lines.at(-1)?.message).toContain("killed after 100 ms");
});

test("an error while stopping is logged, and the thread is stopped", async () => {
  const { fleet, lines } = await start("fails when stopping", { threads: 1 });
  await fleet.stop();
  expect(fleet.threads).toEqual([{ index: 0, state: "stopped", restarts: 0, lastError: "cannot close" }]);
  expect(lines.at(-1)?.message).toBe("test: thread 0 died while it stopped: cannot close");
});

test("a thread that waits to be started again is stopped where it is", async () => {
  const { fleet, starts } = await start("works", { threads: 1 });
  const other = await start("works", { threads: 1 });
  await fleet.terminate(0);
  await fleet.stop();
  // Once another thread came back twice, with the longer back-off of the second time, the first would have as well.
  for (const restarts of [1, 2]) {
    await other.fleet.terminate(0);
    await becomes(other.fleet, 0, { state: "ready", restarts, lastError: expect.any(String) });
  }
  expect(fleet.threads).toMatchObject([{ state: "stopped", restarts: 0 }]);
  expect(starts[0]).toBe(1);
});

test("a signal ends a start that is still under way", async () => {
  const stopping = new AbortController();
  const starting = start("never starts", { signal: stopping.signal, stopWithinMs: 60_000 });
  stopping.abort();
  await expect(starting).rejects.toMatchObject({ code: "FLEET_STOPPED" });
  await expect(start("works", { signal: stopping.signal })).rejects.toMatchObject({ code: "FLEET_STOPPED" });
});

test.each(["first is silent", "first gives what cannot be sent"])(
  "metrics leave out a thread that does not tell them: %s",
  async (behaviour) => {
    const { fleet } = await start(behaviour);
    expect(await fleet.metrics()).toEqual([[{ name: "index", value: 1 }]]);
    expect(fleet.threads).toMatchObject([{ state: "ready" }, { state: "ready" }]);
  },
);

test("health is told by index, and a thread knows nothing but its options", async () => {
  const { fleet } = await start("tells its health");
  expect(await fleet.health()).toEqual([0, 1].map((index) => ({ index, environment: {} })));
  expect(await fleet.metrics()).toEqual([]);
  await fleet.terminate(0);
  expect(await fleet.health()).toEqual([undefined, { index: 1, environment: {} }]);
});

test("a thread that is not there cannot be terminated", async () => {
  const { fleet } = await start("works", { threads: 1 });
  await expect(fleet.terminate(1)).rejects.toMatchObject({ code: "THREAD_UNKNOWN" });
});

test("options that cannot be sent are refused at once", async () => {
  await expect(
    startFleet({ name: "test", threads: 1, module, options: () => 1, log: silentLog, stopWithinMs: 1 }),
  ).rejects.toThrow("could not be cloned");
});

interface Line {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

async function start(
  behaviour: string,
  o: { readonly threads?: number; readonly stopWithinMs?: number; readonly signal?: AbortSignal } = {},
) {
  const lines: Line[] = [];
  const to = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message });
  const options: FixtureOptions = { behaviour, starts: counter(), finished: counter() };
  const fleet = await startFleet({
    name: "test",
    threads: 2,
    stopWithinMs: 5000,
    ...o,
    module,
    options,
    log: { ...silentLog, info: to("info"), warn: to("warn"), error: to("error") },
  });
  fleets.push(fleet);
  return { fleet, lines, ...options };
}

function counter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

async function becomes(fleet: Fleet, index: number, status: object): Promise<void> {
  await vi.waitFor(() => expect(fleet.threads[index]).toEqual({ index, ...status }), 10_000);
}
