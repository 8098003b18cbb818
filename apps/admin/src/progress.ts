import { SingleBar } from "cli-progress";

// Bars and lines do not mix with what programs read: stdout has results only.
const { stderr } = process;
const barOptions = { stream: stderr, clearOnComplete: true, hideCursor: true, barsize: 30 };
const lineEveryMs = 5000;
const noteStep = "note";
// As a shell reports a program that Ctrl-C ended.
const interruptedCode = 130;

/**
 * Shows the progress of a command on stderr: a bar on a terminal, else a line every 5 s. `total` undefined: unknown. A call without a new step
 * costs less than a microsecond.
 */
export interface Progress {
  show(step: string, done: number, total: number | undefined): void;
  /** What the command waits for. */
  note(text: string): void;
  end(): void;
}

/** Runs `work` with a progress that ends with it, also after an error and after Ctrl-C. */
export async function withProgress<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress = stderr.isTTY ? barProgress() : lineProgress();
  const interrupt = (): void => {
    progress.end();
    process.exit(interruptedCode);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    return await work(progress);
  } finally {
    process.removeListener("SIGINT", interrupt).removeListener("SIGTERM", interrupt);
    progress.end();
  }
}

function barProgress(): Progress {
  let bar: SingleBar | undefined;
  let shown = "";
  let rate = rateFrom(0);
  const end = (): void => {
    bar?.stop();
    bar = undefined;
    shown = "";
  };
  return {
    end,
    note(text) {
      if (shown !== noteStep) {
        end();
        shown = noteStep;
        bar = new SingleBar({ format: "{text}", ...barOptions });
        bar.start(0, 0, { text });
      }
      bar?.update(0, { text });
    },
    show(step, done, total) {
      if (step !== shown) {
        end();
        shown = step;
        rate = rateFrom(done);
        const format = `${step}${total === undefined ? ": {value}" : " {bar} {percentage} % ({value} of {total})"}, {rate}/s`;
        bar = new SingleBar({ format, ...barOptions });
        bar.start(total ?? 0, done, { rate: 0 });
      }
      bar?.update(done, { rate: rate(done) });
    },
  };
}

function lineProgress(): Progress {
  let shown = "";
  let rate = rateFrom(0);
  // The first line comes after 5 s: a short command prints none.
  let nextAt = performance.now() + lineEveryMs;
  const isDue = (): boolean => {
    const now = performance.now();
    if (now < nextAt) return false;
    nextAt = now + lineEveryMs;
    return true;
  };
  return {
    end: () => undefined,
    note(text) {
      if (isDue()) stderr.write(`tally: ${text}\n`);
    },
    show(step, done, total) {
      if (step !== shown) {
        shown = step;
        rate = rateFrom(done);
      }
      if (!isDue()) return;
      const share = total === undefined || total === 0 ? "" : ` ${Math.floor((100 * done) / total)} %`;
      const count = total === undefined ? `${done}` : `${done} of ${total}`;
      stderr.write(`tally: ${step}${share} (${count}, ${rate(done)}/s)\n`);
    },
  };
}

/** How many a second since now, as a whole number. */
function rateFrom(first: number): (done: number) => number {
  const startedAt = performance.now();
  return (done) => Math.round((done - first) / Math.max(0.001, (performance.now() - startedAt) / 1000));
}
