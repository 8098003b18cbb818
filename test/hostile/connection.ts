import { connect, type Socket } from "node:net";
import { readAnswers, type Answer } from "./answers.ts";

/** A response did not come in time. */
class Hang extends Error {
  readonly code = "HANG";
}

/** A raw connection that keeps everything that comes back, and throws Hang instead of waiting longer than `withinMs`. */
export class HostileConnection {
  readonly #socket: Socket;
  readonly #withinMs: number;
  #received: Buffer = Buffer.alloc(0);
  #closed = false;
  #failed: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(url: string, withinMs: number) {
    const { hostname, port } = new URL(url);
    this.#withinMs = withinMs;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
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

  get closed(): boolean {
    return this.#closed;
  }

  /** Why the connection broke; undefined while it is open and after an orderly end. */
  get failed(): Error | undefined {
    return this.#failed;
  }

  /** Resolves when the kernel has the bytes, or the connection is gone. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.writable) this.#socket.write(bytes, () => resolve());
      else resolve();
    });
  }

  /** Ends the sending side only. */
  halfClose(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The next `count` responses, or fewer when the server closes before; the bytes behind them stay for the next call. */
  async answers(count: number, methodOf: (nth: number) => string = () => "GET"): Promise<readonly Answer[]> {
    return this.#until((received) => {
      const { answers, rest } = readAnswers(received, this.#closed, methodOf, count);
      if (answers.length < count && !this.#closed) return undefined;
      this.#received = rest;
      return answers;
    });
  }

  /** Waits for the end of the connection; returns what came and was not taken by `answers`. */
  end(): Promise<Buffer> {
    return this.#until((received) => (this.#closed ? received : undefined));
  }

  async #until<T>(find: (received: Buffer) => T | undefined): Promise<T> {
    const deadline = performance.now() + this.#withinMs;
    for (;;) {
      const found = find(this.#received);
      if (found !== undefined) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) {
        this.destroy();
        const got = JSON.stringify(this.#received.toString("latin1", 0, 200));
        throw new Hang(`no whole response within ${this.#withinMs} ms; got ${got}`);
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
