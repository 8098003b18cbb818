import { SingleBar } from "cli-progress";
import type { BenchPlan } from "../bench-plan.ts";

/** Shows the progress of a load on a terminal. */
export function progressBar(): Pick<BenchPlan, "onProgress" | "onLoadEnded"> {
  const bar = new SingleBar({
    format: "{bar} {percentage} % | {through} requests",
    clearOnComplete: true,
    hideCursor: null,
  });
  let begun = false;
  return {
    onProgress({ share, through }) {
      if (!process.stderr.isTTY) return;
      if (begun) bar.update(share, { through });
      else bar.start(1, share, { through });
      begun = true;
    },
    onLoadEnded() {
      if (begun) bar.stop();
      begun = false;
    },
  };
}
