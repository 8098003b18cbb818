import { letterOfMessage, type NewLetter } from "@tally/dead-letters";
import type { Delivery } from "@tally/messaging";

/** What RabbitMQ has moved to the queue of dead letters. Its headers tell where from, and why. */
export function givenUp(domain: string, { messageId, headers, body }: Delivery): NewLetter {
  const { "x-first-death-queue": queue, "x-first-death-reason": reason } = headers;
  return letterOfMessage({
    domain,
    stage: "delivery",
    queue: textOr(queue, ""),
    messageId,
    reason: `given up: ${textOr(reason, "no reason given")}`,
    body,
  });
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
