import type { Publisher } from "@tally/messaging";

/** Something that can never be stored as it is, kept for a person to look at. */
export interface DeadLetter {
  /** Its name: the event's id, or that of the message. */
  readonly id: string;
  readonly reason: string;
  /** The event, where the message could be read. */
  readonly event?: unknown;
  /** The message, where it could not. */
  readonly body?: Buffer;
}

/**
 * Resolves when the letters are on disk at the broker; so whatever is acknowledged after that is not lost. The same letter
 * may be written twice, after a crash; its id tells.
 */
export async function writeDeadLetters(
  publisher: Publisher,
  queue: string,
  domain: string,
  letters: readonly DeadLetter[],
): Promise<boolean> {
  const outcomes = await Promise.all(
    letters.map(({ id, reason, event, body }) =>
      publisher.publish({
        queue,
        messageId: id,
        body: Buffer.from(
          JSON.stringify({
            v: 1,
            domain,
            id,
            reason,
            at: new Date().toISOString(),
            event,
            body: body?.toString("base64"),
          }),
        ),
      }),
    ),
  );
  return outcomes.every((outcome) => outcome === "confirmed");
}
