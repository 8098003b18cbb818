import type { ClientRequest } from "@tally/domains/workloads";
import autocannon from "autocannon";
import type { Recorder } from "./recorder.ts";
import { bytesOf } from "./requests.ts";

/* autocannon sends and waits; what is sent and how answers are timed is ours: its own times are whole milliseconds. */

/** What autocannon's client has beside what its types tell (version 9, lib/httpClient.js). */
interface Client {
  /** Called for each request; the bytes that go out. */
  getRequestBuffer: () => Buffer;
  /** It ends after so many answers; it may be changed while it runs. */
  responseMax: number;
  reqsMade: number;
  readonly destroyed: boolean;
  _connect: () => void;
  on(event: "done" | "timeout", listener: () => void): void;
  on(event: "headers", listener: (answer: { readonly headers: readonly string[] }) => void): void;
}

export interface Closed {
  readonly urls: readonly string[];
  readonly connections: number;
  readonly answerWithinMs: number;
  /** All connections together; undefined: until it is ended. */
  readonly amount: number | undefined;
  /** The next request of a connection, how many it has sent before, and the event that its last one was answered with, if it was. */
  readonly next: (connection: number, sent: number, eventId: string | undefined) => ClientRequest;
  readonly recorder: Recorder;
  /** How often a request is sent again that was answered with anything but 2xx. */
  readonly retries?: number;
  /** Told when a connection has had all its answers. */
  readonly onEnd?: (connection: number) => void;
}

export interface RunningClosed {
  /** Resolves when every request that was sent is answered or given up. */
  readonly done: Promise<void>;
  /** Each connection still waits for the answer that it has not got yet. */
  end(): void;
}

// Not reached: how many requests a load without an amount may send.
const plenty = 2 ** 52;
const eventIdHeader = "tally-event-id";
// autocannon would try again at once, thousands of times a second while nobody listens.
const reconnectAfterMs = 100;

/** What is under way on a connection. */
interface UnderWay {
  sentAt: number;
  request: ClientRequest;
  retriesLeft: number;
  id: string | undefined;
}

/** Each connection sends its next request when the last is answered. */
export function runClosed(o: Closed): RunningClosed {
  const { urls, connections, answerWithinMs, amount, next, recorder, retries = 0, onEnd } = o;
  const clients: Client[] = [];
  const underWay = new WeakMap<object, UnderWay>();
  const again = new WeakMap<object, UnderWay>();
  const eventIds = new WeakMap<object, string>();
  const done = Promise.withResolvers<void>();
  let ended = 0;
  let hasEnded = false;

  /** Lets a connection's next request be the same once more. */
  function refused(connection: object, own: UnderWay): void {
    const client = clients.find((one) => one === connection);
    if (client === undefined || own.retriesLeft === 0 || hasEnded) return;
    again.set(client, own);
    // One answer more until its end.
    client.responseMax++;
  }

  function setUp(client: Client): void {
    const connection = clients.length;
    const { host } = new URL(urls[connection % urls.length] ?? "");
    let sent = 0;
    clients.push(client);
    client.getRequestBuffer = () => {
      // The connection has ended before the answer.
      const broken = underWay.get(client);
      if (broken !== undefined) {
        recorder.broken(broken.request.method === "GET");
        refused(client, broken);
      }
      const before = again.get(client);
      again.delete(client);
      if (before !== undefined) recorder.retries++;
      const request = before?.request ?? next(connection, sent++, eventIds.get(client));
      eventIds.delete(client);
      const retriesLeft = before === undefined ? retries : before.retriesLeft - 1;
      const sentAt = performance.now();
      recorder.sending(sentAt);
      underWay.set(client, { sentAt, request, retriesLeft, id: undefined });
      return bytesOf(request, host);
    };
    const connect = client._connect.bind(client);
    let connected = false;
    client._connect = () => {
      if (connected) setTimeout(() => client.destroyed || connect(), reconnectAfterMs);
      else connect();
      connected = true;
    };
    client.on("timeout", () => {
      const own = underWay.get(client);
      if (own === undefined) return;
      underWay.delete(client);
      const isRead = own.request.method === "GET";
      recorder.timedOut(Math.max(answerWithinMs, performance.now() - own.sentAt) * 1000, isRead);
      refused(client, own);
    });
    client.on("headers", ({ headers }) => {
      const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === eventIdHeader);
      const id = headers[at + 1];
      const own = underWay.get(client);
      if (at >= 0 && own !== undefined) own.id = id;
    });
    // autocannon itself tells of its end up to a second later.
    client.on("done", () => {
      onEnd?.(connection);
      if (++ended === connections) done.resolve();
    });
  }

  const run = autocannon(
    {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it takes several, its types do not know
      url: urls as unknown as string,
      connections,
      amount: amount ?? plenty,
      timeout: answerWithinMs / 1000,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      setupClient: (client) => setUp(client as unknown as Client),
    },
    (error) => {
      if (error !== null && error !== undefined) done.reject(new Error("the load cannot be made", { cause: error }));
    },
  );
  run.on("response", (client, status) => {
    const own = underWay.get(client);
    if (own === undefined) return;
    underWay.delete(client);
    recorder.answer(status, (performance.now() - own.sentAt) * 1000, own.id, own.request.method === "GET");
    if (status < 200 || status >= 300) refused(client, own);
    else if (own.id !== undefined) eventIds.set(client, own.id);
  });
  return {
    done: done.promise,
    end() {
      hasEnded = true;
      // Each has one request under way: its answer is the last.
      for (const client of clients) client.responseMax = client.reqsMade;
    },
  };
}
