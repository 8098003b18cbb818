import { expect, onTestFinished, test } from "vitest";
import type { Calls } from "./thread.fixture.ts";
import { startThread } from "./thread.ts";

function started(onEvent?: (event: string) => void) {
  const thread = startThread<Calls, string>(new URL("thread.fixture.ts", import.meta.url), undefined, onEvent);
  onTestFinished(() => thread.stop());
  return thread;
}

test("calls resolve with their results and reject with their errors", async () => {
  const thread = started();
  const calls = [thread.call("double", 2), thread.call("fail", "no"), thread.call("double", 3)];
  expect(await Promise.allSettled(calls)).toEqual([
    { status: "fulfilled", value: 4 },
    { status: "rejected", reason: new RangeError("no") },
    { status: "fulfilled", value: 6 },
  ]);
});

test("events arrive in order, before the result of the call that sends them", async () => {
  const events: string[] = [];
  const thread = started((event) => events.push(event));
  await thread.call("announce", "a");
  await thread.call("announce", "b");
  expect(events).toEqual(["a", "b"]);
});

test("pending and later calls reject when the thread exits, by itself or stopped", async () => {
  const thread = started();
  const waiting = thread.call("wait");
  await expect(thread.call("exit")).rejects.toThrow("the thread has exited");
  await expect(waiting).rejects.toThrow("the thread has exited");
  await expect(thread.call("double", 1)).rejects.toThrow("the thread has exited");
  const stopped = started();
  const outcome = Promise.allSettled([stopped.call("wait")]);
  await stopped.stop();
  expect(await outcome).toMatchObject([{ status: "rejected" }]);
});

test("a module that cannot be loaded rejects the calls with its error", async () => {
  const thread = startThread<Calls>(new URL("no-such-module.ts", import.meta.url), undefined);
  await expect(thread.call("double", 1)).rejects.toThrow("no-such-module.ts");
  await thread.stop();
});
