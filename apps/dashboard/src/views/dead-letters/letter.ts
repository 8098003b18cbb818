/** A dead letter as GET /dead-letters/{id} responds; GET /dead-letters leaves its content out. */
export interface Letter {
  readonly id: string;
  readonly domain: string;
  readonly stage: "event" | "conflict" | "message" | "delivery";
  readonly state: LetterState;
  readonly queue: string;
  readonly messageId: string;
  readonly reason: string;
  /** When it last came, as an ISO time. */
  readonly diedAt: string;
  /** Of the stages event and conflict. */
  readonly event?: unknown;
  /** Of the other stages: the beginning of the message, in base64. */
  readonly message?: string;
  /** Of the whole content. */
  readonly bytes?: number;
}

export const letterStates = ["open", "replayed", "discarded"] as const;
export type LetterState = (typeof letterStates)[number];

/** Where in the pipeline it was rejected. */
export const stageTexts: Readonly<Record<Letter["stage"], string>> = {
  event: "the database rejects the event for its data",
  conflict: "its Idempotency-Key belongs to a stored event with other content",
  message: "the message cannot be decoded",
  delivery: "the broker gave the message up after too many deliveries",
};
