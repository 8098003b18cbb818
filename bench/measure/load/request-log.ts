import { createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { reasonOf } from "@tally/runtime";
import type { LoadRequest, Reply } from "../../kit/index.ts";

/** What became of the lines of a request log. */
export interface RequestLogResult {
  readonly lines: number;
  /** Requests without a line, because the disk was slower than the load or a write failed. */
  readonly leftOut: number;
  /** Why a write failed; null: none did. */
  readonly failure: string | null;
}

/** The first line of the file. */
export const requestLogHead = "start_ms,method,latency_ms,status\n";

// One write for about 500 requests.
const chunkLength = 16 * 1024;
// About half a million requests.
const waitingBytesMax = 16 * 1024 * 1024;

/**
 * Appends one line for each request of a thread to a file: when it was due, in ms since the start of the load; its method; its latency in ms; its
 * status, or `timeout` or `broken`. Lines are in the order in which requests end. Several threads may append to the same file: each write has
 * whole lines.
 *
 * A line costs 0.2 µs of CPU time. The disk never delays a request: up to 16 MiB wait for it in memory, beyond that lines are left out and counted.
 */
export class RequestLog {
  readonly #stream: WriteStream;
  readonly #startedAt: number;
  #text = "";
  #linesOfText = 0;
  #lines = 0;
  #leftOut = 0;
  #failure: string | null = null;

  /** `startedAt`: the start of the load, in ms since 1970. */
  constructor(file: string, startedAt: number) {
    this.#startedAt = startedAt - performance.timeOrigin;
    this.#stream = createWriteStream(file, { flags: "a" });
    this.#stream.on("error", (error) => (this.#failure ??= reasonOf(error)));
  }

  /** `dueAt`: a time of performance.now(). */
  readonly add = (dueAt: number, { method }: LoadRequest, reply: Reply): void => {
    this.#text += `${(dueAt - this.#startedAt).toFixed(3)},${method},${reply.ms.toFixed(3)},${statusOf(reply)}\n`;
    this.#linesOfText++;
    if (this.#text.length >= chunkLength) this.#flush();
  };

  /** Resolves when all lines are written. Never rejects. */
  async close(): Promise<RequestLogResult> {
    this.#flush();
    this.#stream.end();
    await finished(this.#stream).catch(() => undefined); // #failure has the reason
    return { lines: this.#lines, leftOut: this.#leftOut, failure: this.#failure };
  }

  #flush(): void {
    const lines = this.#linesOfText;
    const text = this.#text;
    this.#text = "";
    this.#linesOfText = 0;
    if (this.#stream.destroyed || this.#stream.writableLength > waitingBytesMax) this.#leftOut += lines;
    else
      this.#stream.write(text, "latin1", (error) => {
        if (error) this.#leftOut += lines;
        else this.#lines += lines;
      });
  }
}

function statusOf(reply: Reply): string | number {
  switch (reply.name) {
    case "responded":
      return reply.status;
    case "silent":
      return "timeout";
    case "broken":
      return "broken";
  }
}

/** Adds the results of several threads; undefined: none wrote a log. */
export function mergeRequestLogs(results: readonly (RequestLogResult | undefined)[]): RequestLogResult | undefined {
  const known = results.filter((result) => result !== undefined);
  if (known.length === 0) return undefined;
  return {
    lines: known.reduce((sum, { lines }) => sum + lines, 0),
    leftOut: known.reduce((sum, { leftOut }) => sum + leftOut, 0),
    failure: known.find(({ failure }) => failure !== null)?.failure ?? null,
  };
}
