import type { Reply } from "./gateway-client.ts";
import type { Figures } from "./protocol.ts";

const zero = (): { -readonly [F in keyof Figures]: Figures[F] } & { statuses: Record<string, number> } => ({
  acknowledged: 0,
  statuses: {},
  broken: 0,
  silent: 0,
  longestGapMs: 0,
  slowestMs: 0,
});

/** Counts what clients see between two readings. */
export class FigureCounter {
  #figures = zero();
  #lastGoodAt = performance.now();

  reply(reply: Reply, tookMs: number): void {
    if (reply.name !== "responded") {
      this.#figures[reply.name]++;
      return;
    }
    const { statuses } = this.#figures;
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
    if (reply.status >= 300) return;
    this.#endGap();
    this.#lastGoodAt = performance.now();
    this.#figures.slowestMs = Math.max(this.#figures.slowestMs, Math.round(tookMs));
  }

  acknowledged(): void {
    this.#figures.acknowledged++;
  }

  /** The figures since the last reading. */
  read(): Figures {
    this.#endGap();
    const figures = this.#figures;
    this.#figures = zero();
    return figures;
  }

  #endGap(): void {
    const gapMs = Math.round(performance.now() - this.#lastGoodAt);
    this.#figures.longestGapMs = Math.max(this.#figures.longestGapMs, gapMs);
  }
}
