/** The user asked for something impossible; the message says what was expected. Any other error is a bug. */
export class WrongUsage extends Error {
  readonly code = "WRONG_USAGE";
}
