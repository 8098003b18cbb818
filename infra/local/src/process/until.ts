import { setTimeout as delay } from "node:timers/promises";
import type { StatusLine } from "@tally/runtime/status-line";
import { connect } from "node:net";

/** Calls `check` until it returns true. Returns false after `withinMs`; throws the signal's reason on abort. */
export async function until(
  check: () => Promise<boolean>,
  { withinMs, everyMs = 50, signal }: { withinMs: number; everyMs?: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const end = performance.now() + withinMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return true;
    if (performance.now() >= end) return false;
    await delay(everyMs);
  }
}

/** Whether a GET of this URL succeeds within 2 s. False while nothing listens there. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** What the launcher waits for at the moment, so that a person can be shown it. */
export class Waits {
  readonly #all = new Set<{ readonly what: string; readonly sinceMs: number }>();

  /** `what` completes the sentence "waiting for …" until the work has ended. */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const wait = { what, sinceMs: performance.now() };
    this.#all.add(wait);
    try {
      return await work();
    } finally {
      this.#all.delete(wait);
    }
  }

  /** All of them in one line, each with the seconds that it takes so far. Undefined while there is none. */
  get text(): string | undefined {
    if (this.#all.size === 0) return undefined;
    const now = performance.now();
    const each = Array.from(this.#all, ({ what, sinceMs }) => `${what} (${Math.floor((now - sinceMs) / 1000)} s)`);
    return `waiting for ${each.join(", ")}`;
  }
}

const liveEveryMs = 250;
const linesEveryMs = 2000;

/** Shows what is waited for as long as the process runs: on a terminal in one line that changes, elsewhere in a line
 * every 2 s. */
export function showWaits(waits: Waits, status: StatusLine): void {
  setInterval(
    () => {
      const { text } = waits;
      if (text === undefined) status.clear();
      else status.show(`  ${text}`);
    },
    status.isLive ? liveEveryMs : linesEveryMs,
  ).unref();
}

/** Sends `text` to a port of this machine and returns the first bytes of the response; empty on a timeout or a refused
 * connection. `timeoutMs` bounds the time between two packets, too. `select` returns what the caller waits for in the
 * bytes received so far; empty while it is missing. */
export async function sendAndReceive(
  port: number,
  text: string,
  { timeoutMs = 2000, select = (received: string) => received } = {},
): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" }).setEncoding("latin1");
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.write(text);
  let received = "";
  try {
    for await (const piece of socket) {
      received += String(piece);
      const response = select(received);
      if (response !== "") return response;
    }
  } catch {} // refused, reset or too late
  return "";
}
