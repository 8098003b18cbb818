/* A thread of the tests' fleets; its options name its behaviour. */
import { setImmediate as nextTurn, setTimeout as after } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { runThread, type ThreadBody } from "./run-thread.ts";

export interface FixtureOptions {
  readonly behaviour: string;
  /** Counters of one place each, shared by all threads and the test. */
  readonly starts: Int32Array;
  readonly finished: Int32Array;
}

const held = setInterval(() => {}, 1000); // a connection would hold the thread as well
const never = () => new Promise<never>(() => {});
const fail = (error: Error) => {
  throw error;
};

/** What differs from a thread that works; `start` counts the starts of all threads, from 1. */
type Behaviour = (index: number, start: number) => Partial<ThreadBody> | undefined | Promise<never>;

const behaviours: Readonly<Record<string, Behaviour>> = {
  works: () => undefined,
  "fails to start twice": (_, start) =>
    start <= 2 ? fail(new Error("cannot connect", { cause: new Error("connection refused") })) : undefined,
  "compresses and never starts": async () => {
    for (;;) {
      for (let stream = 0; stream < 100; stream++) createGzip();
      await nextTurn();
    }
  },
  "ends by itself": (_, start) => void (start === 1 && setTimeout(() => process.exit(0), 20)),
  "first exits when asked": (index) => (index === 0 ? { metrics: async () => process.exit(1) } : undefined),
  "throws when asked": () => ({
    async metrics() {
      setTimeout(() => fail(new Error("thrown", { cause: new Error("the cause") })));
      return never();
    },
  }),
  "rejects when asked": () => ({
    async metrics() {
      setTimeout(() => void Promise.reject(new Error("rejected")));
      return never();
    },
  }),
  "blocks when asked": () => ({
    async metrics() {
      for (;;);
    },
  }),
  "first is silent": (index) => (index === 0 ? { metrics: never } : undefined),
  "first returns what cannot be sent": (index) =>
    index === 0 ? { metrics: async () => [() => "a function"] } : undefined,
  "returns its environment": (index) => ({ metrics: async () => ({ index, environment: { ...process.env } }) }),
  "first hangs when stopping": (index) =>
    index === 0 ? { stop: () => new Promise(() => clearInterval(held)) } : undefined,
  "fails when stopping": () => ({ stop: () => Promise.reject(new Error("cannot close")) }),
};

runThread<FixtureOptions>(async ({ behaviour, starts, finished }, { index }) => ({
  async stop() {
    await after(200);
    Atomics.add(finished, 0, 1);
  },
  metrics: async () => [{ name: "index", value: index }],
  report: () => ({ flows: [], held: [], hops: [], problems: [] }),
  ...(await behaviours[behaviour]?.(index, Atomics.add(starts, 0, 1) + 1)),
}));
