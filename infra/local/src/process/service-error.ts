/** Every way the launcher can fail, as a stable word for programs; the message is for people. */
export type ServiceErrorCode =
  | "directory-in-use"
  | "environment-incomplete"
  | "install-failed"
  | "interrupted"
  | "not-installed"
  | "replica-broken"
  | "server-failed";

/** A failure of a service or of its environment, not of our code: show the message, the stack says nothing. */
export class ServiceError extends Error {
  readonly code: ServiceErrorCode;

  constructor(code: ServiceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServiceError";
    this.code = code;
  }
}
