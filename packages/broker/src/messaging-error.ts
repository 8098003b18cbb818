import { CataloguedError, type CatalogueEntry } from "@tally/runtime";

/** Every error of this package. docs/errors.md is made of it. */
export const messagingErrors = {
  MESSAGING_TOPOLOGY: {
    message: "a queue exists with other arguments",
    when: "a queue was declared by another version; empty and delete it, then start again",
  },
  MESSAGING_URL: {
    message: "the URL of a broker is not valid",
    when: "it is no URL, or the list of URLs is empty",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type MessagingErrorCode = keyof typeof messagingErrors;

/** A fault that a retry does not repair. */
export class MessagingError extends CataloguedError<MessagingErrorCode> {
  constructor(code: MessagingErrorCode, detail: string, options?: ErrorOptions) {
    super(messagingErrors, code, detail, options);
  }
}
