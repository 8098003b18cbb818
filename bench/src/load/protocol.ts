import type { Phase, PhaseResult, Sample } from "./load-plan.ts";

/** What a load thread is told. `idsFile` takes the ids of accepted events. */
export type ToThread =
  | { readonly name: "run"; readonly phase: Phase; readonly idsFile: string | undefined }
  | { readonly name: "progress" }
  | { readonly name: "end" };

/** What it answers: one "done" or "failed" for each "run". */
export type FromThread =
  | { readonly name: "sample"; readonly sample: Sample }
  | { readonly name: "progress"; readonly accepted: number; readonly read: number }
  | { readonly name: "done"; readonly result: PhaseResult }
  | { readonly name: "failed"; readonly reason: string };
