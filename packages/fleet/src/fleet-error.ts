export type FleetErrorCode =
  /** The thread exited, or is about to, before it answered. */
  | "THREAD_GONE"
  /** The thread did not answer in time. */
  | "THREAD_SILENT"
  /** The thread could not make the answer. */
  | "THREAD_REFUSED"
  /** No thread has that index. */
  | "THREAD_UNKNOWN"
  /** The fleet was stopped before every thread had been ready once. */
  | "FLEET_STOPPED"
  /** The module of a thread runs in no fleet. */
  | "NOT_IN_A_FLEET";

export class FleetError extends Error {
  readonly code: FleetErrorCode;

  constructor(code: FleetErrorCode, message: string) {
    super(message);
    this.name = "FleetError";
    this.code = code;
  }
}
