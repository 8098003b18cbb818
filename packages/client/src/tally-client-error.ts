/** Every error of this package: how its message begins, and when it occurs. docs/errors.md is made of it. */
export const tallyClientErrors = {
  UNREACHABLE: {
    message: "no usable response from the gateway",
    when: "a call has used all its attempts, or the sender's requests fail at the moment; the sender goes on trying",
  },
  STOPPED: {
    message: "the gateway rejects every request of the sender",
    when: "the API key, its rights or the address are wrong (401, 403, 404 and others). Correct them, then call `resume()` or restart",
  },
  BUFFER_FULL: {
    message: "the purchase is not taken, because the sender's buffer is full",
    when: "`add()` while `eventsMax` or `bytesMax` is reached. Add the purchase again later",
  },
  CLOSED: { message: "the sender is closed", when: "`add()` after `close()`, `flush()` of what it left" },
  JOURNAL_FAILED: {
    message: "cannot write the journal",
    when: "the disk is full or broken, or another process has taken over. An `add()` that rejects with it is not taken",
  },
  JOURNAL_IN_USE: {
    message: "another process uses the journal",
    when: "`openJournal()` while the process named in the lock file runs. Each process needs an own file",
  },
  JOURNAL_DAMAGED: {
    message: "the journal has a line that this package has not written",
    when: "`openJournal()` on a file that something else has changed. Correct or remove the line",
  },
} as const;

export type TallyClientErrorCode = keyof typeof tallyClientErrors;

/** An error of this package. `code` is stable; the message is for people. */
export class TallyClientError extends Error {
  override readonly name = "TallyClientError";
  readonly code: TallyClientErrorCode;

  constructor(code: TallyClientErrorCode, detail = "", options?: ErrorOptions) {
    const { message } = tallyClientErrors[code];
    super(detail === "" ? message : `${message}: ${detail}`, options);
    this.code = code;
  }
}
