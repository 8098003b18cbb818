import { connect, type Socket } from "node:net";
import { get, post, raw } from "./http-case.ts";
import { readResponses, type HttpResponse } from "./read-responses.ts";

/** The headers that a Java client of the course sends with every request. */
export const upgrade = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
];

interface Options {
  /** Another address of this machine, such as 127.0.0.2, makes it another client. */
  readonly localAddress?: string;
  /** How long to wait for responses and for the end of the connection. */
  readonly withinMs?: number;
}

/** One kept-alive connection on which requests travel byte for byte as given. Every wait throws after `withinMs`. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #withinMs: number;
  #received: Buffer = Buffer.alloc(0);
  #closed = false;
  #failed: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(url: string, { localAddress, withinMs = 60_000 }: Options = {}) {
    const { hostname, port } = new URL(url);
    this.#withinMs = withinMs;
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    this.#socket.on("data", (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    this.#socket.on("error", (error) => {
      this.#failed = error;
    });
    this.#socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** True after the server has closed the connection. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Why the connection broke; undefined while it is open and after an orderly end. */
  get failed(): Error | undefined {
    return this.#failed;
  }

  /** Received bytes behind the responses that were taken. */
  get leftOver(): string {
    return this.#received.toString("latin1");
  }

  /** Resolves when the kernel has the bytes, or the connection is closed. */
  write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.writable) this.#socket.write(bytes, () => resolve());
      else resolve();
    });
  }

  /** Ends the sending side only; responses can still come. */
  endSending(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Sends head lines, with nothing added, and a body. */
  send(head: readonly string[], body: string | Buffer = ""): Promise<HttpResponse> {
    void this.write(raw(head, body));
    return this.response();
  }

  /** Sends a POST with its length. */
  post(...request: Parameters<typeof post>): Promise<HttpResponse> {
    void this.write(post(...request));
    return this.response();
  }

  get(...request: Parameters<typeof get>): Promise<HttpResponse> {
    void this.write(get(...request));
    return this.response();
  }

  /** Sends GETs in one write; returns their responses in the same order. */
  getAll(paths: readonly string[]): Promise<readonly HttpResponse[]> {
    void this.write(Buffer.concat(paths.map((path) => get(path))));
    return this.responses(paths.length);
  }

  /** The next response, informational ones (1xx) included. Throws when the connection is closed before. */
  async response(): Promise<HttpResponse> {
    const [next] = await this.#take(1, () => "GET", 100);
    if (next !== undefined) return next;
    throw new Error(`closed after ${JSON.stringify(this.leftOver.slice(0, 200))}`);
  }

  /** The next `count` final responses; fewer when the server closes before. */
  responses(count: number, methodOf: (nth: number) => string = () => "GET"): Promise<readonly HttpResponse[]> {
    return this.#take(count, methodOf, 200);
  }

  /** Waits until the server closes; returns the bytes behind the responses that were taken. */
  untilClosed(): Promise<Buffer> {
    return this.#until((received) => (this.#closed ? received : undefined));
  }

  #take(count: number, methodOf: (nth: number) => string, statusMin: number): Promise<readonly HttpResponse[]> {
    return this.#until((received) => {
      const { responses, rest } = readResponses(received, this.#closed, { methodOf, max: count, statusMin });
      if (responses.length < count && !this.#closed) return undefined;
      this.#received = rest;
      return responses;
    });
  }

  async #until<T>(find: (received: Buffer) => T | undefined): Promise<T> {
    const deadline = performance.now() + this.#withinMs;
    for (;;) {
      const found = find(this.#received);
      if (found !== undefined) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) {
        this.destroy();
        throw new Error(`timeout: ${this.#withinMs} ms; received ${JSON.stringify(this.leftOver.slice(0, 200))}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
