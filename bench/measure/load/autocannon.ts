import autocannon, { type Request } from "autocannon";
import { type ClientRequest, isGood } from "../../kit/index.ts";
import type { LoadPlan, Until } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { share, type NextRequest } from "./requests.ts";

/*
 * The closed model, sent by autocannon: each connection sends its next request when it has the response to the last.
 *
 * autocannon names no connection when it asks for a request. It emits `request` just before, so `current` has it; the
 * first request of a connection is asked for while its client is made.
 *
 * A connection that times out or breaks emits `request` again, on a new socket: its open request has ended without a
 * response.
 *
 * At the end of a load by time each connection waits for its last response. autocannon can only cut connections, so
 * those that wait for the others send GET /health/live meanwhile, which is not counted.
 */

interface Options extends Pick<LoadPlan, "urls" | "connections" | "responseWithinMs"> {
  readonly until: Until;
  readonly next: NextRequest;
  readonly recorder: Recorder;
}

type Connection = ReturnType<typeof newConnection>;

const live: ClientRequest = { method: "GET", path: "/health/live" };
// autocannon looks for its end this often.
const sampleMs = 20;
const secondsMax = 1_000_000;

/** Resolves when every request has a response or has ended without one. */
export const runAutocannon = (options: Options): Promise<void> => new Load(options).run();

class Load {
  readonly #options: Options;
  readonly #instances: autocannon.Instance[] = [];
  /** The first request that was set up last, until its client is set up. */
  #made: Connection | undefined;
  /** Whose next request is set up. */
  #current: Connection | undefined;
  #eventId = "";
  #isEnding = false;
  #over = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { urls, connections, responseWithinMs, until } = this.#options;
    // One for each gateway, because its types know one URL only.
    const targets = urls.slice(0, connections);
    const ended = targets.map((url, index) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const options: autocannon.Options = {
        url,
        connections: share(connections, index, targets.length),
        timeout: responseWithinMs / 1000,
        sampleInt: sampleMs,
        ...("amount" in until ? { amount: share(until.amount, index, targets.length) } : { duration: secondsMax }),
        setupClient: (client) => this.#setUpClient(client),
        requests: [
          {
            setupRequest: (template) => this.#setUpRequest(template),
            onResponse: (_status, _body, _context, headers) => this.#noteEventId(headers),
          },
        ],
      };
      this.#instances.push(autocannon(options, (error: unknown) => (error ? reject(error) : resolve())));
      return promise;
    });
    if ("seconds" in until) setTimeout(() => (this.#isEnding = true), until.seconds * 1000);
    await Promise.all(ended);
  }

  #setUpRequest(template: Request): Request {
    const connection = this.#current ?? (this.#made = newConnection());
    this.#current = undefined;
    const request = this.#isEnding ? live : this.#options.next(connection.eventId);
    connection.isRead = request.method === "GET";
    const { method, path, body = "", contentType = "application/json" } = request;
    return { ...template, method, path, body, headers: body === "" ? {} : { "content-type": contentType } };
  }

  /** Is called just before the client emits `response`. */
  #noteEventId(headers: Request["headers"]): void {
    const id = headers?.["tally-event-id"];
    this.#eventId = typeof id === "string" ? id : "";
  }

  #setUpClient(client: autocannon.Client): void {
    const connection = this.#made;
    if (connection === undefined) throw new Error("a client without a first request");
    this.#made = undefined;
    // Its types know three of its events.
    const events: NodeJS.EventEmitter = client;
    events.on("request", () => {
      this.#endWithoutResponse(connection);
      if (connection.isAsked) this.#current = connection;
      connection.isAsked = true;
      this.#requested(connection);
    });
    client.on("response", (status: number, _bytes: number, duration: number) =>
      this.#responded(connection, status, duration),
    );
    events.on("done", () => this.#endWithoutResponse(connection));
  }

  #requested(connection: Connection): void {
    if (!this.#isEnding) {
      connection.sentAt = performance.now();
      this.#options.recorder.sending(connection.sentAt);
      return;
    }
    if (connection.isOver) return;
    connection.isOver = true;
    if (++this.#over === this.#options.connections) for (const instance of this.#instances) instance.stop();
  }

  #responded(connection: Connection, status: number, duration: number): void {
    const { sentAt, isRead } = connection;
    if (sentAt === undefined) return;
    // After a broken connection autocannon's duration is that of the request before.
    const ms = Math.min(duration, performance.now() - sentAt);
    const reply = { name: "responded", status, id: this.#eventId, text: "", ms } as const;
    this.#options.recorder.record(reply, isRead);
    connection.eventId = isGood(reply) && this.#eventId !== "" ? this.#eventId : undefined;
    connection.sentAt = undefined;
  }

  #endWithoutResponse(connection: Connection): void {
    const { sentAt, isRead } = connection;
    if (sentAt === undefined) return;
    const { responseWithinMs, recorder } = this.#options;
    const ms = performance.now() - sentAt;
    // Its timer fires a few ms early.
    const isLate = ms > responseWithinMs * 0.99;
    recorder.record(isLate ? { name: "silent", ms: Math.max(ms, responseWithinMs) } : { name: "broken", ms }, isRead);
    connection.sentAt = undefined;
  }
}

const newConnection = () => ({
  /** When its open request was sent, by performance.now(); undefined: none is open. */
  sentAt: undefined as number | undefined,
  isRead: false,
  isAsked: false,
  isOver: false,
  eventId: undefined as string | undefined,
});
