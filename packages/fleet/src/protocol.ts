/*
 * What the main thread and a thread say to each other. A thread hears nothing but these, and each side switches over all
 * of them in one place.
 */

/** What a thread can be asked for. */
export type Question = "metrics" | "health";

export type ToThread =
  /** Finish what is in hand, then exit. */
  { readonly type: "stop" } | { readonly type: "ask"; readonly request: number; readonly question: Question };

export type FromThread =
  /** It consumes. Said once. */
  | { readonly type: "ready" }
  | { readonly type: "answer"; readonly request: number; readonly answer: object }
  | { readonly type: "refusal"; readonly request: number; readonly reason: string };

/** The workerData of a thread: all it is given, its environment is empty. */
export interface ThreadData<Options> {
  readonly index: number;
  readonly options: Options;
}
