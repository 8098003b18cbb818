/** "MESSAGING_TOPOLOGY": a queue exists already, but with other arguments than this version asks for. */
export type MessagingErrorCode = "MESSAGING_TOPOLOGY";

/** A fault that waiting does not mend. */
export class MessagingError extends Error {
  readonly code: MessagingErrorCode;

  constructor(code: MessagingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MessagingError";
    this.code = code;
  }
}
