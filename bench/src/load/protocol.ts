import type { Fill, Phase, PhaseResult, Sample } from "./load-plan.ts";

/** What a load thread is told. Each "prepare" is followed by a "run" of that phase; `idsFile` takes the ids of accepted events. */
export type ToThread =
  | { readonly name: "prepare"; readonly phase: Phase | Fill }
  | { readonly name: "run"; readonly idsFile: string | undefined }
  | { readonly name: "progress" }
  | { readonly name: "end" };

/** What it answers: one "prepared" or "failed" for each "prepare", one "done" or "failed" for each "run". */
export type FromThread =
  | { readonly name: "prepared" }
  | { readonly name: "sample"; readonly sample: Sample }
  | { readonly name: "progress"; readonly through: number }
  | { readonly name: "done"; readonly result: PhaseResult }
  | { readonly name: "failed"; readonly reason: string };
