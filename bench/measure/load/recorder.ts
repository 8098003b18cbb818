import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { build, decodeFromCompressedBase64 as decode, encodeIntoCompressedBase64 as encode } from "hdr-histogram-js";
import type { Histogram } from "hdr-histogram-js";
import { isGood, type Reply } from "../../kit/index.ts";

export type LoadResult = ReturnType<Recorder["result"]>;

/** An event that was just accepted, to be followed. */
export interface Sample {
  readonly id: string;
  /** When its request was sent, in ms since 1970. */
  readonly sentAt: number;
}

const longestUs = 120_000_000;
/** A histogram in µs, with three significant digits. */
const microseconds = (): Histogram =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: longestUs, numberOfSignificantValueDigits: 3 });

/** The sum of encoded histograms. */
export function merged(encoded: readonly string[]): Histogram {
  const sum = microseconds();
  for (const one of encoded) sum.add(decode(one));
  return sum;
}

/** A longer time than the histogram can hold counts as the longest. */
function recordMs(histogram: Histogram, ms: number): void {
  histogram.recordValue(Math.min(Math.max(1, Math.round(ms * 1000)), longestUs));
}

const sampleEveryMs = 100;
/** Length of a line of the file of event ids. */
export const idBytes = 37;
const idsOfPart = 1000;
const loopResolutionMs = 5;

/** Counts the outcomes of requests. Each call costs well under 1 µs. */
export class Recorder {
  readonly #startedAt = performance.now();
  readonly #posts = microseconds();
  readonly #gets = microseconds();
  readonly #statuses = new Map<number, number>();
  /** `failed`: statuses other than 2xx, timeouts and broken connections. */
  readonly #perSecond: Readonly<Record<"accepted" | "read" | "failed", number>>[] = [];
  readonly #loop = monitorEventLoopDelay({ resolution: loopResolutionMs });
  readonly #busySince = performance.eventLoopUtilization();
  readonly #counts = {
    sent: 0,
    /** 2xx to a POST, and to a GET. */
    accepted: 0,
    read: 0,
    connectionErrors: 0,
    timeouts: 0,
    /** GETs among the requests without a 2xx. */
    failedReads: 0,
  };
  readonly #onSample: (sample: Sample) => void;
  #second = { number: 0, accepted: 0, read: 0, failed: 0 };
  #sampledAt = 0;
  #lastSentAt = this.#startedAt;
  #lastResponseAt = this.#startedAt;
  readonly #newestIds: string[] = [];
  // Outside the heap: a collection would look at each of ten million strings.
  readonly #olderIds: Buffer[] = [];
  readonly #part = microseconds();
  readonly #parts: { events: number; seconds: number; posts: string }[] = [];
  readonly #partOf: number;

  /** Counted by the caller. */
  retries = 0;

  /** `partOf`: accepted events of a part. */
  constructor(onSample: (sample: Sample) => void = () => undefined, partOf = Infinity) {
    this.#onSample = onSample;
    this.#partOf = partOf;
    this.#loop.enable();
  }

  /** Ids of accepted events, one a line, in parts of whole lines. */
  get ids(): readonly Buffer[] {
    this.#packIds();
    return this.#olderIds;
  }

  /** A request is due at `now`. Returns the number of requests before it. */
  sending(now: number): number {
    this.#lastSentAt = now;
    return this.#counts.sent++;
  }

  record(reply: Reply, isRead: boolean): void {
    const now = performance.now();
    const second = this.#secondOf(now);
    if (reply.name === "broken") this.#counts.connectionErrors++;
    if (reply.name === "silent") {
      this.#counts.timeouts++;
      // The request took at least this long.
      this.#recordTime(reply.ms, isRead);
    }
    if (reply.name === "responded") {
      this.#lastResponseAt = now;
      this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1);
    }
    if (!isGood(reply)) {
      second.failed++;
      if (isRead) this.#counts.failedReads++;
      return;
    }
    this.#recordTime(reply.ms, isRead);
    if (isRead) {
      this.#counts.read++;
      second.read++;
      return;
    }
    this.#counts.accepted++;
    second.accepted++;
    recordMs(this.#part, reply.ms);
    if (this.#counts.accepted % this.#partOf === 0) this.#closePart(now);
    if (reply.id === "") return;
    if (this.#newestIds.push(`${reply.id}\n`) === idsOfPart) this.#packIds();
    this.#sample(reply.id, now, reply.ms);
  }

  result() {
    this.#closeSecond();
    this.#loop.disable();
    const { sent, timeouts } = this.#counts;
    const responses = [...this.#statuses.values()].reduce((sum, count) => sum + count, 0);
    return {
      /** From the first request to the last response, but not beyond the last request for those that never come. */
      seconds: (Math.max(this.#lastResponseAt, this.#lastSentAt) - this.#startedAt) / 1000,
      sendingSeconds: (this.#lastSentAt - this.#startedAt) / 1000,
      ...this.#counts,
      statuses: Object.fromEntries(this.#statuses),
      retries: this.retries,
      /** Requests without a response and without a timeout when the load ended. */
      withoutResponse: Math.max(0, sent - responses - timeouts),
      /** In µs, encoded: times of 2xx responses, and for how long requests waited that timed out. */
      posts: encode(this.#posts),
      gets: encode(this.#gets),
      perSecond: this.#perSecond,
      /** Of each whole part of the accepted events: when it ended, in seconds of the load, and its times as `posts`. */
      parts: this.#parts,
      /** Share of time in which the event loop was busy, 0 to 1, and its delay in ms. */
      client: {
        busy: performance.eventLoopUtilization(this.#busySince).utilization,
        // A loop without delay shows the resolution.
        delayP99: Math.max(0, this.#loop.percentile(99) / 1e6 - loopResolutionMs),
      },
    };
  }

  #packIds(): void {
    this.#olderIds.push(Buffer.from(this.#newestIds.splice(0).join(""), "latin1"));
  }

  #closePart(now: number): void {
    this.#parts.push({ events: this.#partOf, seconds: (now - this.#startedAt) / 1000, posts: encode(this.#part) });
    this.#part.reset();
  }

  #recordTime(ms: number, isRead: boolean): void {
    recordMs(isRead ? this.#gets : this.#posts, ms);
  }

  #sample(id: string, now: number, ms: number): void {
    if (now - this.#sampledAt < sampleEveryMs) return;
    this.#sampledAt = now;
    this.#onSample({ id, sentAt: performance.timeOrigin + now - ms });
  }

  #secondOf(now: number) {
    const number = Math.floor((now - this.#startedAt) / 1000);
    while (this.#second.number < number) this.#closeSecond();
    return this.#second;
  }

  #closeSecond(): void {
    const { number, ...counts } = this.#second;
    this.#perSecond.push(counts);
    this.#second = { number: number + 1, accepted: 0, read: 0, failed: 0 };
  }
}
