import { StatusLine } from "./status-line.ts";

const liveEveryMs = 200;
const linesEveryMs = 5000;
const barWidth = 30;
// As a shell reports a program that Ctrl-C ended.
const interruptedCode = 130;

/** Shows on stderr how far a program is: a bar on a terminal, else a line every 5 s. A call that shows nothing costs
 * less than a microsecond. stdout has results only. */
export class Progress {
  readonly #line = new StatusLine(process.stderr);
  readonly #everyMs = this.#line.isLive ? liveEveryMs : linesEveryMs;
  // The first line comes late: a short program prints none.
  #nextAt = performance.now() + this.#everyMs;
  #step = "";
  #stepBegan = { at: 0, done: 0 };
  /** Ctrl-C does it; a second one ends the program at once. */
  onInterrupt = (): void => this.exit();

  /** `total` undefined: unknown. The rate is that since the step began. */
  show(step: string, done: number, total: number | undefined): void {
    const now = performance.now();
    if (step !== this.#step) {
      this.#step = step;
      this.#stepBegan = { at: now, done };
    }
    if (now < this.#nextAt) return;
    const { at, done: before } = this.#stepBegan;
    const rate = Math.round((done - before) / Math.max(0.001, (now - at) / 1000));
    if (total === undefined || total === 0) return this.#print(`${step} (${done}, ${rate}/s)`);
    const share = Math.min(1, done / total);
    const bar = this.#line.isLive ? ` ${"█".repeat(Math.floor(share * barWidth)).padEnd(barWidth, "░")}` : "";
    this.#print(`${step}${bar} ${Math.floor(100 * share)} % (${done} of ${total}, ${rate}/s)`);
  }

  note(text: string): void {
    this.#step = "";
    if (performance.now() >= this.#nextAt) this.#print(text);
  }

  /** Ends the program as one that Ctrl-C ended. */
  exit(): never {
    this.end();
    process.exit(interruptedCode);
  }

  /** Removes it from a terminal. */
  end(): void {
    this.#line.clear();
    this.#step = "";
  }

  #print(text: string): void {
    this.#nextAt = performance.now() + this.#everyMs;
    this.#line.show(this.#line.isLive ? text : `tally: ${text}`);
  }
}

/** Runs `work` with a progress that ends with it, after an error and after Ctrl-C too. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress();
  const interrupt = (): void => progress.onInterrupt();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(progress);
  } finally {
    process.removeListener("SIGINT", interrupt).removeListener("SIGTERM", interrupt);
    progress.end();
  }
}
