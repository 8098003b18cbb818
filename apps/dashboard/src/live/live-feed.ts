import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { apiKey, CallError, send, sentenceOf } from "../http/call.ts";
import { createParser } from "eventsource-parser";

// The gateway's clock minus the browser's, in ms. A till's clock may be minutes off, and ages must not be.
let offsetMs = 0;

/** The gateway's time in ms since 1970, to the second. Components that read it render each second. */
export const now = signal(Date.now());

/** Takes over the time of a beat, which the gateway has just sent. */
function noteServerTime(iso: string): void {
  const offset = Date.parse(iso) - Date.now();
  // Below one second it may be the network, and the ages would jump.
  offsetMs = Math.abs(offset) < 1000 ? 0 : offset;
}

const currentMs = (): number => Date.now() + offsetMs;

export function startClock(): void {
  setInterval(() => (now.value = currentMs()), 1000);
}

/*
 * The connection to GET /live. One stream carries all that the page shows.
 *
 *   connecting  no data yet
 *   open        data arrive
 *   lost        no stream; it tries again. What was shown stays
 *   key         the gateway requires an API key, and has none or a wrong one
 */
type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  | { readonly state: "lost"; readonly since: number; readonly reason: string }
  | { readonly state: "key"; readonly reason: string };

/** The body stays when a later response is an error. */
export interface Watched {
  readonly body?: unknown;
  /** In ms since 1970. */
  readonly at?: number;
  /** Why there is no newer body. */
  readonly problem?: { readonly status: number; readonly message: string };
}

interface Watch {
  readonly value: Signal<Watched>;
  users: number;
  /** The gateway rejects the path for this key, so the stream leaves it out. */
  isRejected: boolean;
}

const shortestRetryMs = 500;
const longestRetryMs = 15_000;
// A path that a view leaves and the next one takes is not asked for twice.
const settleMs = 30;

class LiveFeed {
  readonly #watches = new Map<string, Watch>();
  readonly connection = signal<Connection>({ state: "connecting" });
  /** Time of the last event or beat, in ms since 1970: the age of all that is shown. */
  readonly heardAt = signal<number | undefined>(undefined);
  #stream: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  /** A hidden tab has no stream: over HTTP/1.1 a browser opens six connections to a host, for all its tabs. */
  followVisibility(): void {
    document.addEventListener("visibilitychange", () => this.#openIn(0));
  }

  /** Keeps the value of a GET current until `release` is called. */
  watch(path: string): { readonly value: ReadonlySignal<Watched>; readonly release: () => void } {
    const watch = this.#watches.get(path) ?? { value: signal<Watched>({}), users: 0, isRejected: false };
    this.#watches.set(path, watch);
    if (++watch.users === 1) this.#openIn(settleMs);
    const release = (): void => {
      if (--watch.users > 0) return;
      this.#watches.delete(path);
      this.#openIn(settleMs);
    };
    return { value: watch.value, release };
  }

  /** Connects with all paths, e.g. because the user has asked for it or has entered a key. */
  retry(delayMs = 0): void {
    for (const watch of this.#watches.values()) watch.isRejected = false;
    this.#openIn(delayMs);
  }

  #openIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#open(), delayMs);
  }

  // Never runs twice at once for the same stream: a new one aborts the one before.
  async #open(): Promise<void> {
    this.#stream?.abort();
    const stream = new AbortController();
    this.#stream = stream;
    const paths = [...this.#watches].filter(([, { isRejected }]) => !isRejected).map(([path]) => path);
    if (paths.length === 0 || document.hidden) return;
    try {
      await readStream(liveOf(paths), stream, (event, data) => this.#take(paths, event, data));
      if (this.#stream === stream) this.#lose("");
    } catch (error) {
      // One rejected path rejects the stream: find which, and open it without them.
      const isKnown = isRejection(error) && (await this.#findRejected(paths, stream.signal));
      if (this.#stream !== stream) return; // replaced by a newer one
      if (isKnown) this.#openIn(0);
      else if (error instanceof CallError && error.status === 401) this.#askForKey(error);
      else this.#lose(error instanceof CallError && error.status > 0 ? error.message : "");
    }
  }

  #take(paths: readonly string[], event: string, data: string): void {
    this.#failures = 0;
    this.heardAt.value = currentMs();
    if (this.connection.value.state !== "open") this.connection.value = { state: "open" };
    const message: { at: string; watch?: number; status?: number; body?: unknown } = JSON.parse(data);
    if (event === "beat") return noteServerTime(message.at);
    const { watch: index = -1, status = 0, body } = message;
    const watch = this.#watches.get(paths[index] ?? "");
    if (watch === undefined) return;
    const at = Date.parse(message.at);
    watch.value.value =
      status === 200
        ? { body, at }
        : { ...watch.value.value, problem: { status, message: sentenceOf(body) ?? `status ${status}` } };
  }

  #askForKey({ message }: CallError): void {
    this.connection.value = { state: "key", reason: apiKey.value === "" ? "" : message };
  }

  async #findRejected(paths: readonly string[], stop: AbortSignal): Promise<boolean> {
    const rejections = await Promise.all(
      paths.map(async (path) => {
        // Not the path itself: an error of its response may pass.
        const sent = send(liveOf([path]), { signal: stop }).then(({ body }) => body?.cancel());
        const problem: unknown = await sent.catch((error: unknown) => error);
        const watch = this.#watches.get(path);
        if (!isRejection(problem) || watch === undefined) return false;
        watch.isRejected = true;
        watch.value.value = { problem: { status: problem.status, message: problem.message } };
        return true;
      }),
    );
    // The gateway responds, also when it rejects all paths. Otherwise it may yet reject the stream of the others.
    if (!rejections.includes(false)) this.connection.value = { state: "open" };
    return rejections.includes(true);
  }

  #lose(reason: string): void {
    const before = this.connection.value;
    const most = Math.min(longestRetryMs, shortestRetryMs * 2 ** this.#failures++);
    // At random, so that the pages of a restarted gateway do not return in one moment.
    const delayMs = most * (0.5 + Math.random() / 2);
    const since = before.state === "lost" ? before.since : currentMs();
    this.connection.value = { state: "lost", since, reason };
    this.retry(delayMs);
  }
}

const liveOf = (paths: readonly string[]): string =>
  `/live?${paths.map((path) => `watch=${encodeURIComponent(path)}`).join("&")}`;

function isRejection(error: unknown): error is CallError {
  return error instanceof CallError && [400, 403, 404].includes(error.status);
}

/** The feed of this page. It connects with the first watch. */
export const feed = new LiveFeed();

// The gateway sends a beat every 5 s. Two missing ones are a dead connection, which TCP would notice minutes later.
const silentMsMax = 12_000;

/** Until the gateway ends the stream or `stream` aborts. `fetch` and not EventSource, which cannot send a key. */
async function readStream(
  path: string,
  stream: AbortController,
  take: (event: string, data: string) => void,
): Promise<void> {
  const parser = createParser({ onEvent: ({ event = "message", data }) => take(event, data) });
  let silence = setTimeout(() => stream.abort(), silentMsMax);
  try {
    const { body } = await send(path, { signal: stream.signal });
    if (body === null) throw new CallError(0, "the gateway does not respond");
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => stream.abort(), silentMsMax);
      parser.feed(value);
    }
  } finally {
    clearTimeout(silence);
  }
}
