import type { Sample } from "../../kit/load.ts";
import type { PhaseResult } from "../load/load-plan.ts";
import type { ProcessName } from "../machine/own-processes.ts";

/*
 * How the bench speaks with an agent. POST /load opens a session, whose response lasts as long as the session: lines of JSON, at least one a second.
 * Commands are separate requests, and their outcomes are lines. When the connection of the session ends, the agent ends the load; when its lines
 * end, the bench knows that the agent has failed. One session at a time.
 *
 *   GET    /clock          {"nowMs": …}
 *   POST   /load           OpenLoad → 200, lines (AgentLine); 409 while another session is open
 *   POST   /load/prepare   PreparePhase → 202; the line "prepared" follows
 *   POST   /load/run       RunPhase → 202; the line "result" follows
 *   GET    /load/ids       the ids of the events that the last phase had accepted, one a line
 *   DELETE /load           204 when the load has ended
 */

/** Commands of a session carry its id in this header. */
export const sessionHeader = "tally-bench-session";

/** Without a line for this long, an agent has failed. */
export const silentAfterMs = 10_000;
export const beatEveryMs = 1000;

export type AgentLine =
  | { readonly type: "open"; readonly session: string; readonly process?: ProcessName | undefined }
  /** Once a second: requests of the running phase that are over. */
  | { readonly type: "beat"; readonly through: number }
  | { readonly type: "sample"; readonly sample: Sample }
  | { readonly type: "prepared" }
  | { readonly type: "result"; readonly run: AgentRun }
  | { readonly type: "failed"; readonly message: string };

/** A phase that an agent has run. */
export interface AgentRun {
  readonly result: PhaseResult;
  /** When it began, in ms since 1970 by the agent's clock. */
  readonly startedAtMs: number;
  /** CPU time of the agent's process. */
  readonly cpuSeconds: number;
}

/** The time of this process in ms since 1970. It does not jump when the clock of the machine is set. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
