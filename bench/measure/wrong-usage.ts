import { reasonOf } from "@tally/runtime";

/** The user asked for something impossible; the message says what was expected. Any other error is a bug. */
export class WrongUsage extends Error {
  readonly code = "WRONG_USAGE";
}

/** Calls `work`. What it throws is the user's mistake, such as a file that cannot be written. */
export async function orWrongUsage<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new WrongUsage(`${what}: ${reasonOf(error)}`, { cause: error });
  }
}
