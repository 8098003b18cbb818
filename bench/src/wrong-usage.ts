/** What a user asked for cannot be done; the message says what was expected. Any other error is ours. */
export class WrongUsage extends Error {
  readonly code = "WRONG_USAGE";
}
