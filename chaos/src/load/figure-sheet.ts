import type { Reply } from "./client.ts";
import type { Figures } from "./protocol.ts";

/** Counts what clients see, from one reading to the next. */
export class FigureSheet {
  #acknowledged = 0;
  #answers: Record<string, number> = {};
  #broken = 0;
  #silent = 0;
  #longestGapMs = 0;
  #slowestMs = 0;
  #lastGoodAt = performance.now();

  reply(reply: Reply, tookMs: number): void {
    switch (reply.name) {
      case "answered":
        this.#answers[reply.status] = (this.#answers[reply.status] ?? 0) + 1;
        if (reply.status < 300) this.#good(tookMs);
        break;
      case "broken":
        this.#broken++;
        break;
      case "silent":
        this.#silent++;
        break;
    }
  }

  acknowledged(): void {
    this.#acknowledged++;
  }

  /** What was counted since the last reading. */
  read(): Figures {
    this.#endGap();
    const figures: Figures = {
      acknowledged: this.#acknowledged,
      answers: this.#answers,
      broken: this.#broken,
      silent: this.#silent,
      longestGapMs: Math.round(this.#longestGapMs),
      slowestMs: Math.round(this.#slowestMs),
    };
    this.#acknowledged = 0;
    this.#answers = {};
    this.#broken = 0;
    this.#silent = 0;
    this.#longestGapMs = 0;
    this.#slowestMs = 0;
    return figures;
  }

  #good(tookMs: number): void {
    this.#endGap();
    this.#lastGoodAt = performance.now();
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
  }

  #endGap(): void {
    this.#longestGapMs = Math.max(this.#longestGapMs, performance.now() - this.#lastGoodAt);
  }
}
