import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "../../errors/catalogue.ts";
import type { ResponseTimes } from "./response-times.ts";

/*
 * The life of a connection:
 *
 *   open      a request is handed on when it arrives. Pipelined requests wait in a queue for a turn, and until fewer
 *             than `inFlightMax` of them are in flight. While the queue is long nothing more is read.
 *   closing   the next request is malformed or late. Requests before it get their responses in order. Then the
 *             rejection is sent, unless that request has its response already. Later requests are not handed on.
 *   closed    by either side. Requests that still wait are dropped, and nothing of them is stored.
 */

/** How a connection ends. */
export interface Ending {
  /** A last response, with its head. undefined: the connection is closed without one. */
  readonly response: { readonly code: ErrorCode; readonly text: string } | undefined;
  /** True: reads and drops further input for a while, so that a client that is still sending gets the response. */
  readonly dropsRest: boolean;
}

export interface ConnectionOptions {
  readonly turns: Turns;
  readonly handle: (response: ServerResponse) => void;
  readonly onRejected: (code: ErrorCode) => void;
  readonly times: ResponseTimes;
}

interface Closing extends Ending {
  /** The request whose head was read and whose body is incomplete. */
  readonly unread: ServerResponse | undefined;
}

// Limits the load that one client puts on memory and servers before other clients get a turn.
const inFlightMax = 64;
// A longer queue stops reading.
const queueMax = 32;
const dropMs = 1000;

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #queue: ServerResponse[] = [];
  #inFlight = 0;
  /** The response of the newest request; undefined when that request is read and has its response. */
  #newest: ServerResponse | undefined;
  #closing: Closing | undefined;
  #isHeld = false;
  /** bytesRead when the queue was last empty. */
  #bytesBefore = 0;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.once("close", () => {
      this.#queue.length = 0;
      this.#options.turns.delete(this);
    });
  }

  /** The request whose head was read last, unless it was read to its end. */
  get unreadUrl(): string | undefined {
    return this.#newest?.req.complete === false ? this.#newest.req.url : undefined;
  }

  /** Takes a request whose head was read, with its response. */
  take(response: ServerResponse): void {
    // The error response that ends the connection responds to this request too.
    if (this.#closing !== undefined) return;
    this.#newest = response;
    response.takenAtMs = performance.now();
    const isAlone = this.#inFlight === 0 && this.#queue.length === 0;
    if (wantsUpgrade(response.req)) this.#watchUpgrade(response, isAlone ? this.#bytesBefore : 0);
    if (isAlone) return this.#hand(response);
    this.#queue.push(response);
    if (this.#inFlight < inFlightMax) this.#options.turns.add(this);
    // Node reads the rest of the packet first and would start reading again.
    if (this.#queue.length === queueMax) process.nextTick(() => this.#hold());
  }

  /** Hands one request on. Returns whether another one can follow in the same turn. */
  handOne(): boolean {
    const response = this.#queue.shift();
    if (response === undefined) return false;
    this.#hand(response);
    if (this.#queue.length === 0) this.#release();
    return this.#queue.length > 0 && this.#inFlight < inFlightMax;
  }

  /** Closes the connection with the response to the newest request: after an earlier one, later requests get none. */
  closeAfterResponse(): void {
    if (this.#newest !== undefined) this.#newest.shouldKeepAlive = false;
  }

  /** Waits for the responses to all requests that were read, then ends the connection. The first call decides how. */
  close(ending: Ending): void {
    if (this.#closing !== undefined) return;
    let unread = this.#newest?.req.complete === false ? this.#newest : undefined;
    if (unread !== undefined && this.#queue.at(-1) === unread) {
      this.#queue.pop();
      unread = undefined;
    }
    this.#closing = { ...ending, unread };
    // Node would close a half-closed connection after the last response in flight, before the final response.
    this.#socket.removeAllListeners("end");
    this.#settle(this.#closing);
  }

  #hand(response: ServerResponse): void {
    this.#inFlight++;
    // Emitted once, so `on` is enough; `once` allocates a wrapper.
    response.on("close", this.#onResponded);
    this.#options.handle(response);
    // While the server closes, Fastify makes each response the last one. Requests that still wait would then get none.
    if (this.#queue.length > 0 && !response.headersSent) response.removeHeader("connection");
  }

  /** Node drops what follows an upgrade in the same packet, and takes the next packet for a new request. So when more
   * was read than this request, the connection is closed after its response, and later requests get none. */
  #watchUpgrade(response: ServerResponse, bytesBefore: number): void {
    const hasMore = (): boolean => this.#socket.bytesRead - bytesBefore > bytesOf(response.req);
    // The response then has "Connection: close".
    if (hasMore()) response.shouldKeepAlive = false;
    response.once("close", () => {
      if (hasMore()) this.close({ response: undefined, dropsRest: true });
    });
  }

  readonly #onResponded = closeListener((response) => {
    this.#options.times.ended(response);
    this.#inFlight--;
    if (this.#inFlight === 0) {
      this.#bytesBefore = this.#socket.bytesRead;
      if (this.#newest?.req.complete === true) this.#newest = undefined;
    }
    if (this.#queue.length > 0) this.#options.turns.add(this);
    else if (this.#closing !== undefined) this.#settle(this.#closing);
  });

  #settle({ response, dropsRest, unread }: Closing): void {
    if (this.#queue.length > 0) return;
    // Routes that store events read the whole body. A request with an incomplete body never finishes.
    const inVain = unread !== undefined && !unread.req.complete && !unread.headersSent ? 1 : 0;
    if (this.#inFlight > inVain || !this.#socket.writable) return;
    if (response === undefined || unread?.headersSent === true) this.#socket.end();
    else {
      this.#options.onRejected(response.code);
      this.#socket.end(response.text);
    }
    if (!dropsRest) {
      // After a 408 the request is not read further.
      this.#hold();
      return this.#socket.destroySoon();
    }
    this.#release();
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.destroy(), dropMs);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  #hold(): void {
    if (this.#isHeld || (this.#queue.length === 0 && this.#closing === undefined)) return;
    this.#isHeld = true;
    // Node resumes reading when a body is read, and when the unsent bytes are below its own limit.
    this.#socket.on("resume", this.#pause);
    this.#socket.pause();
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.off("resume", this.#pause);
    this.#socket.resume();
  }

  readonly #pause = (): void => void this.#socket.pause();
}

/** A listener of "close" that passes on its response, so that a connection needs only one. */
function closeListener(onClose: (response: ServerResponse) => void): (this: ServerResponse) => void {
  return function onResponseClose() {
    onClose(this);
  };
}

/** Whether Node's parser treats a request as an upgrade: its Upgrade header counts only with `Connection: Upgrade`. */
function wantsUpgrade({ headers: { upgrade, connection = "" } }: IncomingMessage): boolean {
  return upgrade !== undefined && connection.split(",").some((option) => option.trim().toLowerCase() === "upgrade");
}

/** A request's bytes on the wire; Infinity for a chunked one, whose length is unknown. */
function bytesOf({ method = "", url = "", rawHeaders, headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Infinity;
  const requestLine = method.length + url.length + " ".length + " HTTP/1.1\r\n".length;
  // Two bytes follow each name (": "), each value and the head (CRLF).
  const fields = rawHeaders.reduce((bytes, text) => bytes + text.length + 2, 2);
  return requestLine + fields + Number(headers["content-length"] ?? 0);
}

// Cheap requests take about 0.05 ms each. A request of another connection waits for one turn.
const requestsPerTurn = 16;

/** Hands pipelined requests on in turns of the event loop, one of each connection in rotation. */
export class Turns {
  // A Set iterates in insertion order, and also visits items that are added again during the iteration.
  readonly #waiting = new Set<Connection>();
  #next: NodeJS.Immediate | undefined;

  add(connection: Connection): void {
    this.#waiting.add(connection);
    this.#next ??= setImmediate(this.#run);
  }

  delete(connection: Connection): void {
    this.#waiting.delete(connection);
  }

  readonly #run = (): void => {
    this.#next = undefined;
    let left = requestsPerTurn;
    for (const connection of this.#waiting) {
      if (left-- === 0) break;
      this.#waiting.delete(connection);
      if (connection.handOne()) this.#waiting.add(connection);
    }
    if (this.#waiting.size > 0) this.#next ??= setImmediate(this.#run);
  };
}
