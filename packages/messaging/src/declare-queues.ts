import type { Channel } from "amqplib";
import { MessagingError } from "./messaging-error.ts";

/** A durable quorum queue. Topology is data: every app declares the same list, so any of them may start first. */
export interface QueueSpec {
  readonly name: string;
  /** A queue that holds so many messages refuses further ones ("rejected") instead of growing. */
  readonly messagesMax?: number;
  /** The queue that takes what is rejected or was delivered too often. */
  readonly deadLetterTo?: string;
  /** How often a message may be delivered; a consumer's death counts for each message it held. */
  readonly deliveryLimit?: number;
}

const preconditionFailed = 406;

/** Creates what is missing. Throws MessagingError when a queue exists with other arguments. */
export async function declareQueues(channel: Channel, queues: readonly QueueSpec[]): Promise<void> {
  for (const queue of queues) {
    try {
      await channel.assertQueue(queue.name, { durable: true, arguments: queueArguments(queue) });
    } catch (cause) {
      if (cause instanceof Error && Reflect.get(cause, "code") === preconditionFailed) {
        throw new MessagingError(
          "MESSAGING_TOPOLOGY",
          `queue ${queue.name} exists with other arguments; empty and delete it, then start again (${cause.message})`,
          { cause },
        );
      }
      throw cause;
    }
  }
}

function queueArguments({ messagesMax, deadLetterTo, deliveryLimit }: QueueSpec): Record<string, string | number> {
  return {
    "x-queue-type": "quorum",
    ...(messagesMax === undefined ? {} : { "x-max-length": messagesMax }),
    ...(deliveryLimit === undefined ? {} : { "x-delivery-limit": deliveryLimit }),
    // Dead-lettering at least once is only had with a queue that refuses when it is full.
    ...(messagesMax === undefined && deadLetterTo === undefined ? {} : { "x-overflow": "reject-publish" }),
    ...(deadLetterTo === undefined
      ? {}
      : {
          "x-dead-letter-exchange": "",
          "x-dead-letter-routing-key": deadLetterTo,
          "x-dead-letter-strategy": "at-least-once",
        }),
  };
}
