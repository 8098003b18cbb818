import autocannon, { type Request } from "autocannon";
import type { ClientRequest } from "@tally/domains/workloads";
import { isGood } from "../../kit/index.ts";
import type { Until } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { share } from "./requests.ts";

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

interface Options {
  /** Connections use them in turn. */
  readonly urls: readonly string[];
  readonly connections: number;
  readonly responseWithinMs: number;
  readonly until: Until;
  /** `eventId`: from the last response of the connection, if it was 2xx. */
  readonly next: (eventId: string | undefined) => ClientRequest;
  readonly recorder: Recorder;
}

interface Connection {
  /** When its open request was sent, by performance.now(); undefined: none is open. */
  sentAt: number | undefined;
  isRead: boolean;
  isAsked: boolean;
  isOver: boolean;
  eventId: string | undefined;
}

const live: ClientRequest = { method: "GET", path: "/health/live" };
// autocannon looks for its end this often.
const sampleMs = 20;
const secondsMax = 1_000_000;

/** Resolves when every request has a response or has ended without one. */
export async function runAutocannon(o: Options): Promise<void> {
  const { urls, connections, responseWithinMs, until, recorder } = o;
  const instances: autocannon.Instance[] = [];
  let made: Connection | undefined;
  let current: Connection | undefined;
  let eventId = "";
  let isEnding = false;
  let over = 0;

  function setupRequest(template: Request): Request {
    const connection = current ?? (made = newConnection());
    current = undefined;
    const request = isEnding ? live : o.next(connection.eventId);
    connection.isRead = request.method === "GET";
    const { method, path, body = "", contentType = "application/json" } = request;
    return { ...template, method, path, body, headers: body === "" ? {} : { "content-type": contentType } };
  }

  /** Is called just before the client emits `response`. */
  function onResponse(_status: number, _body: string, _context: object, headers: Request["headers"]): void {
    const id = headers?.["tally-event-id"];
    eventId = typeof id === "string" ? id : "";
  }

  function setupClient(client: autocannon.Client): void {
    const connection = made;
    if (connection === undefined) throw new Error("a client without a first request");
    made = undefined;
    const endWithoutResponse = (): void => {
      const { sentAt, isRead } = connection;
      if (sentAt === undefined) return;
      const ms = performance.now() - sentAt;
      // Its timer fires a few ms early.
      const isLate = ms > responseWithinMs * 0.99;
      recorder.record(isLate ? { name: "silent", ms: Math.max(ms, responseWithinMs) } : { name: "broken", ms }, isRead);
      connection.sentAt = undefined;
    };
    // Its types know three of its events.
    const events: NodeJS.EventEmitter = client;
    events.on("request", () => {
      endWithoutResponse();
      if (connection.isAsked) current = connection;
      connection.isAsked = true;
      if (!isEnding) {
        connection.sentAt = performance.now();
        recorder.sending(connection.sentAt);
        return;
      }
      if (connection.isOver) return;
      connection.isOver = true;
      if (++over === connections) for (const instance of instances) instance.stop();
    });
    client.on("response", (status: number, _bytes: number, duration: number) => {
      const { sentAt, isRead } = connection;
      if (sentAt === undefined) return;
      // After a broken connection autocannon's duration is that of the request before.
      const ms = Math.min(duration, performance.now() - sentAt);
      const reply = { name: "responded", status, id: eventId, text: "", ms } as const;
      recorder.record(reply, isRead);
      connection.eventId = isGood(reply) && eventId !== "" ? eventId : undefined;
      connection.sentAt = undefined;
    });
    events.on("done", endWithoutResponse);
  }

  // One for each gateway, because its types know one URL only.
  const targets = urls.slice(0, connections);
  const ended = targets.map((url, index) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const options = {
      url,
      connections: share(connections, index, targets.length),
      timeout: responseWithinMs / 1000,
      sampleInt: sampleMs,
      ...(until.name === "amount" ? { amount: share(until.amount, index, targets.length) } : { duration: secondsMax }),
      setupClient,
      requests: [{ setupRequest, onResponse }],
    };
    instances.push(autocannon(options, (error: unknown) => (error ? reject(error) : resolve())));
    return promise;
  });
  if (until.name === "seconds") setTimeout(() => (isEnding = true), until.seconds * 1000);
  await Promise.all(ended);
}

const newConnection = (): Connection => ({
  sentAt: undefined,
  isRead: false,
  isAsked: false,
  isOver: false,
  eventId: undefined,
});
