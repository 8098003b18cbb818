import type { StatusLine } from "@tally/runtime/status-line";
import type { Waits } from "../process/waits.ts";

const liveEveryMs = 250;
const linesEveryMs = 2000;

/** Shows what is waited for as long as the process runs: on a terminal in one line that changes, elsewhere in a line every 2 s. */
export function showWaits(waits: Waits, status: StatusLine): void {
  setInterval(
    () => {
      const { text } = waits;
      if (text === undefined) status.clear();
      else status.show(`  ${text}`);
    },
    status.isLive ? liveEveryMs : linesEveryMs,
  ).unref();
}
