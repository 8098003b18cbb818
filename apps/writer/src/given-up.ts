import { letterOfMessage, type NewLetter } from "@tally/dead-letters";
import type { Delivery } from "@tally/messaging";

/** What RabbitMQ has moved to the queue of dead letters. Its headers tell where from, and why. */
export function givenUp(domain: string, { messageId, headers, body }: Delivery): NewLetter {
  const queue = String(headers["x-first-death-queue"] ?? "");
  const reason = String(headers["x-first-death-reason"] ?? "no reason given");
  return letterOfMessage({ domain, stage: "delivery", queue, messageId, reason: `given up: ${reason}`, body });
}
