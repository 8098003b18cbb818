/* A thread of the tests' fleets; its options name its behaviour. */
import { setImmediate as nextTurn, setTimeout as after } from "node:timers/promises";
import { createGzip } from "node:zlib";
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
    case "compresses and never starts":
      for (;;) {
        for (let stream = 0; stream < 100; stream++) createGzip();
        await nextTurn();
      }
    case "ends by itself":
      if (start === 1) setTimeout(() => process.exit(0), 20);
      break;
    case "first exits when asked":
      if (index === 0) metrics = async () => process.exit(1);
      break;
    case "throws when asked":
      metrics = () =>
        new Promise(() =>
          setTimeout(() => {
            throw new Error("thrown", { cause: new Error("the cause") });
          }),
        );
      break;
    case "rejects when asked":
      metrics = async () => {
        setTimeout(() => void Promise.reject(new Error("rejected")));
        return new Promise(() => {});
      };
      break;
    case "blocks when asked":
      metrics = async () => {
        for (;;);
      };
      break;
    case "first is silent":
      if (index === 0) metrics = () => new Promise(() => {});
      break;
    case "first returns what cannot be sent":
      if (index === 0) metrics = async () => [() => "a function"];
      break;
    case "returns its environment":
      // oxlint-disable-next-line node/no-process-env -- that it is empty is what is tested
      metrics = async () => ({ index, environment: { ...process.env } });
      break;
    case "first hangs when stopping":
      if (index === 0) stop = () => new Promise(() => clearInterval(held));
      break;
    case "fails when stopping":
      stop = () => Promise.reject(new Error("cannot close"));
      break;
    default:
  }
  return { stop, metrics };
});
