import { SingleBar } from "cli-progress";

const barOptions = { stream: process.stderr, clearOnComplete: true, hideCursor: true, barsize: 30 };

/** Shows the progress of a command: a bar on a terminal, nothing elsewhere. `total` undefined: unknown, the bar only counts. */
export interface Progress {
  show(step: string, done: number, total: number | undefined): void;
  end(): void;
}

/** Runs `work` with a bar, which ends with it, also after an error. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  let bar: SingleBar | undefined;
  let shown = "";
  const end = (): void => {
    bar?.stop();
    bar = undefined;
    shown = "";
  };
  const show: Progress["show"] = (step, done, total) => {
    if (!process.stderr.isTTY) return;
    if (step !== shown) {
      end();
      shown = step;
      const format = total === undefined ? `${step}: {value}` : `${step} {bar} {percentage} % ({value} of {total})`;
      bar = new SingleBar({ format, ...barOptions });
      bar.start(total ?? 0, 0);
    }
    bar?.update(done);
  };
  try {
    return await work({ show, end });
  } finally {
    end();
  }
}
