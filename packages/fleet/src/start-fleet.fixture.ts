/* A thread of the tests' fleets; its options name what it does. */
import { setTimeout as after } from "node:timers/promises";
import { runThread } from "./run-thread.ts";

export interface FixtureOptions {
  readonly behaviour: string;
  /** Counters of one place each, shared by all threads and the test. */
  readonly starts: Int32Array;
  readonly finished: Int32Array;
}

runThread<FixtureOptions>(async ({ behaviour, starts, finished }, { index }) => {
  const start = Atomics.add(starts, 0, 1) + 1;
  const held = setInterval(() => {}, 1000); // a connection would hold the thread as well
  let stop = async () => {
    await after(200);
    Atomics.add(finished, 0, 1);
  };
  let metrics = async (): Promise<object> => [{ name: "index", value: index }];

  switch (behaviour) {
    case "fails to start twice":
      if (start <= 2) throw new Error("cannot connect", { cause: new Error("connection refused") });
      break;
    case "never starts":
      await after(600_000);
      break;
    case "ends by itself":
      if (start === 1) setTimeout(() => process.exit(0), 20);
      break;
    case "throws when told":
      metrics = () =>
        new Promise(() =>
          setTimeout(() => {
            throw new Error("thrown", { cause: new Error("the cause") });
          }),
        );
      break;
    case "rejects when told":
      metrics = async () => {
        setTimeout(() => void Promise.reject(new Error("rejected")));
        return new Promise(() => {});
      };
      break;
    case "blocks when told":
      metrics = async () => {
        for (;;);
      };
      break;
    case "first is silent":
      if (index === 0) metrics = () => new Promise(() => {});
      break;
    case "first gives what cannot be sent":
      if (index === 0) metrics = async () => [() => "a function"];
      break;
    case "first hangs when stopping":
      if (index === 0) stop = () => new Promise(() => clearInterval(held));
      break;
    case "fails when stopping":
      stop = () => Promise.reject(new Error("cannot close"));
      break;
    case "tells its health":
      // oxlint-disable-next-line node/no-process-env -- that it is empty is what is tested
      return { stop, health: () => ({ index, environment: process.env }) };
    default:
  }
  return { stop, metrics };
});
