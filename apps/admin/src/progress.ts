import { SingleBar } from "cli-progress";

const barOptions = { stream: process.stderr, clearOnComplete: true, hideCursor: true, barsize: 30 };

/** Shows the progress of a command: a bar on a terminal, nothing elsewhere. */
export class Progress {
  #bar: SingleBar | undefined;
  #step = "";

  /** `total` undefined: unknown, the bar only counts. */
  show(step: string, done: number, total: number | undefined): void {
    if (!process.stderr.isTTY) return;
    if (step !== this.#step) {
      this.end();
      this.#step = step;
      const format = total === undefined ? `${step}: {value}` : `${step} {bar} {percentage} % ({value} of {total})`;
      this.#bar = new SingleBar({ format, ...barOptions });
      this.#bar.start(total ?? 0, 0);
    }
    this.#bar?.update(done);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#step = "";
  }
}

/** Ends the bar, also after an error. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = new Progress();
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
