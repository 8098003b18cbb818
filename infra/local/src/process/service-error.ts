/** Every way the launcher can fail, as a stable word for programs; the message is for people. */
export type ServiceErrorCode =
  | "directory-in-use"
  | "environment-incomplete"
  | "install-failed"
  | "interrupted"
  | "no-free-port"
  | "not-installed"
  | "replica-broken"
  | "server-failed";

/** A failure of a service or of its environment, not a bug: print the message without the stack. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;

  constructor(code: ServiceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServiceError";
    this.code = code;
  }
}

/** The last 25 lines of an output, indented, for an error message. */
export function lastLines(output: string): string {
  const lines = output.trim().split("\n").slice(-25);
  return lines.map((line) => `    ${line}`).join("\n");
}
