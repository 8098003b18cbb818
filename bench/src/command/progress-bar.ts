import { SingleBar } from "cli-progress";
import type { BenchPlan } from "../bench-plan.ts";
import type { Flags } from "./flags.ts";

/** Shows on a terminal how much of a load is done. */
export function progressBar({ duration, amount }: Flags): Pick<BenchPlan, "onProgress" | "onLoadEnded"> {
  const bar = new SingleBar({
    format: "{bar} {percentage} % | {done} answered",
    clearOnComplete: true,
    hideCursor: null,
  });
  const total = amount ?? duration;
  let begun = false;
  return {
    onProgress({ seconds, done }) {
      if (!process.stderr.isTTY) return;
      if (!begun) bar.start(total, 0, { done });
      begun = true;
      bar.update(Math.min(total, amount === undefined ? seconds : done), { done });
    },
    onLoadEnded: () => void (begun && bar.stop()),
  };
}
