import { serveThread } from "./thread.ts";

/* The thread of the tests. */

export interface Calls {
  double: (value: number) => number;
  fail: (reason: string) => never;
  wait: () => Promise<void>;
  exit: () => void;
  announce: (text: string) => void;
}

// Keeps the thread alive, as an open socket would.
setInterval(() => undefined, 1000);

const emit: (text: string) => void = serveThread<Calls, string>({
  double: (value) => value * 2,
  fail(reason) {
    throw new RangeError(reason);
  },
  wait: () => new Promise(() => undefined),
  exit: () => process.exit(3),
  announce(text) {
    emit(text);
  },
});
