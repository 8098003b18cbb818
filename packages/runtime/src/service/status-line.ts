import { clearLine, cursorTo } from "node:readline";

/** Where lines are written: process.stdout or process.stderr. */
interface Terminal extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Lines for a person, and below them one line with the current state. On a terminal that line is rewritten in place,
 * elsewhere each state is a line. Nothing else may write to the stream. */
export class StatusLine {
  readonly #stream: Terminal;
  #isShown = false;

  constructor(stream: Terminal) {
    this.#stream = stream;
  }

  /** Whether the state is rewritten in place. */
  get isLive(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Prints lines that stay. */
  say(lines: string): void {
    this.clear();
    this.#stream.write(`${lines}\n`);
  }

  /** On a terminal cut to its width: a longer line would wrap, and only its last part could be rewritten. */
  show(state: string): void {
    if (!this.isLive) return this.say(state);
    const { columns = 80 } = this.#stream;
    this.clear();
    this.#stream.write(state.slice(0, columns - 1));
    this.#isShown = true;
  }

  clear(): void {
    if (!this.#isShown) return;
    cursorTo(this.#stream, 0);
    clearLine(this.#stream, 0);
    this.#isShown = false;
  }
}
