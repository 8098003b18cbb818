import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { build, encodeIntoCompressedBase64 as encode, type Histogram } from "hdr-histogram-js";
import type { GroupTime, PhaseResult, Sample, Second } from "./load-plan.ts";

const longestUs = 120_000_000;
/** A histogram in µs, with three significant digits. */
export const microseconds = (): Histogram =>
  build({ lowestDiscernibleValue: 1, highestTrackableValue: longestUs, numberOfSignificantValueDigits: 3 });

const sampleEveryMs = 100;
/** Length of a line of the file of event ids. */
export const idBytes = 37;
const loopResolutionMs = 5;

/** Counts the outcomes of requests. Each call costs well under 1 µs. */
export class Recorder {
  readonly #startedAt = performance.now();
  readonly #posts = microseconds();
  readonly #gets = microseconds();
  readonly #statuses = new Map<number, number>();
  readonly #perSecond: Second[] = [];
  readonly #loop = monitorEventLoopDelay({ resolution: loopResolutionMs });
  readonly #busySince = performance.eventLoopUtilization();
  readonly #onSample: (sample: Sample) => void;
  #second = { number: 0, accepted: 0, read: 0, failed: 0, latencies: microseconds() };
  #sampledAt = 0;
  #lastSentAt = this.#startedAt;
  #lastResponseAt = this.#startedAt;
  #ids = Buffer.alloc(idBytes * 4096);
  #idsLength = 0;
  #sent = 0;
  accepted = 0;
  read = 0;
  retries = 0;
  /** Requests of paced groups, which do not count as progress. */
  beside = 0;
  groups: readonly GroupTime[] = [];
  #connectionErrors = 0;
  #timeouts = 0;
  #failedReads = 0;
  #settled = 0;

  constructor(onSample: (sample: Sample) => void) {
    this.#onSample = onSample;
    this.#loop.enable();
  }

  /** Ids of accepted events, one a line. */
  get ids(): Buffer {
    return this.#ids.subarray(0, this.#idsLength);
  }

  /** Requests that are over, with any outcome; without retries and paced groups. */
  get through(): number {
    return this.#settled - this.retries - this.beside;
  }

  /** A request is due at `now`. Returns the number of requests before it. */
  sending(now: number): number {
    this.#lastSentAt = now;
    return this.#sent++;
  }

  /** A response. `id`: of the event; undefined for a GET. `us`: since the request was due. */
  responded(status: number, us: number, id: string | undefined, isRead: boolean): void {
    const now = performance.now();
    this.#lastResponseAt = now;
    this.#settled++;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    const second = this.#secondOf(now);
    if (status < 200 || status > 299) {
      second.failed++;
      if (isRead) this.#failedReads++;
      return;
    }
    this.#record(second, us, isRead);
    if (isRead) {
      this.read++;
      second.read++;
      return;
    }
    this.accepted++;
    second.accepted++;
    if (id !== undefined) this.#keep(id, now, us);
  }

  /** A timeout after `us`. Recorded as a latency: the request took at least this long. */
  timedOut(us: number, isRead: boolean): void {
    const second = this.#secondOf(performance.now());
    second.failed++;
    this.#timeouts++;
    if (isRead) this.#failedReads++;
    this.#settled++;
    this.#record(second, us, isRead);
  }

  /** The connection was refused, or ended before the response. */
  broken(isRead: boolean): void {
    this.#secondOf(performance.now()).failed++;
    if (isRead) this.#failedReads++;
    this.#connectionErrors++;
    this.#settled++;
  }

  result(): PhaseResult {
    this.#closeSecond();
    this.#loop.disable();
    return {
      seconds: (Math.max(this.#lastResponseAt, this.#lastSentAt) - this.#startedAt) / 1000,
      sendingSeconds: (this.#lastSentAt - this.#startedAt) / 1000,
      sent: this.#sent,
      accepted: this.accepted,
      read: this.read,
      statuses: Object.fromEntries(this.#statuses),
      connectionErrors: this.#connectionErrors,
      timeouts: this.#timeouts,
      failedReads: this.#failedReads,
      retries: this.retries,
      withoutResponse: Math.max(0, this.#sent - this.#responses - this.#timeouts),
      posts: encode(this.#posts),
      gets: encode(this.#gets),
      perSecond: this.#perSecond,
      groups: this.groups,
      client: {
        busy: performance.eventLoopUtilization(this.#busySince).utilization,
        // A loop without delay shows the resolution.
        delayP99: Math.max(0, this.#loop.percentile(99) / 1e6 - loopResolutionMs),
      },
    };
  }

  get #responses(): number {
    return [...this.#statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  #record(second: { readonly latencies: Histogram }, us: number, isRead: boolean): void {
    const value = Math.min(Math.max(1, Math.round(us)), longestUs);
    second.latencies.recordValue(value);
    (isRead ? this.#gets : this.#posts).recordValue(value);
  }

  #keep(id: string, now: number, us: number): void {
    if (this.#idsLength + idBytes > this.#ids.length)
      this.#ids = Buffer.concat([this.#ids, Buffer.alloc(this.#ids.length)]);
    this.#ids.write(id, this.#idsLength, "latin1");
    this.#ids[this.#idsLength + idBytes - 1] = 0x0a;
    this.#idsLength += idBytes;
    if (now - this.#sampledAt < sampleEveryMs) return;
    this.#sampledAt = now;
    this.#onSample({ id, sentAt: performance.timeOrigin + now - us / 1000 });
  }

  #secondOf(now: number) {
    const number = Math.floor((now - this.#startedAt) / 1000);
    while (this.#second.number < number) this.#closeSecond();
    return this.#second;
  }

  #closeSecond(): void {
    const { number, accepted, read, failed, latencies } = this.#second;
    const seen = latencies.totalCount > 0;
    this.#perSecond.push({
      accepted,
      read,
      failed,
      ...(seen && { p50: latencies.getValueAtPercentile(50) / 1000, p99: latencies.getValueAtPercentile(99) / 1000 }),
    });
    latencies.reset();
    this.#second = { number: number + 1, accepted: 0, read: 0, failed: 0, latencies };
  }
}
