import { startThread } from "../../kit/index.ts";
import type { Fill, LoadPlan, Phase, PhaseResult } from "./load-plan.ts";
import type { Sample } from "./recorder.ts";
import type { LoadCalls } from "./thread.ts";

/** A load client in its own thread. */
export interface Load {
  /** Opens connections for a phase. The result runs it, once; `idsFile` gets the ids of accepted events. */
  prepare(phase: Phase | Fill): Promise<(idsFile?: string) => Promise<PhaseResult>>;
  /** Gets some accepted events while a phase runs, about ten a second. */
  onSample: (sample: Sample) => void;
  close(): Promise<void>;
}

export function startLoad(plan: LoadPlan): Load {
  const thread = startThread<LoadCalls, Sample>(new URL("thread.ts", import.meta.url), plan, (sample) =>
    load.onSample(sample),
  );
  const load: Load = {
    onSample: () => undefined,
    async prepare(phase) {
      await thread.call("prepare", phase);
      return (idsFile) => thread.call("run", idsFile);
    },
    close: () => thread.stop(),
  };
  return load;
}
