import type { QueueSpec } from "@tally/contract";
import type { Channel, ChannelModel } from "amqplib";
import { CataloguedError, type CatalogueEntry } from "@tally/runtime";

const preconditionFailed = 406;
const accessRefused = 403;
const notFound = 404;

/** Creates missing queues and exchanges. An account that may not declare queues only checks that those in `used` exist;
 * rejects while one is missing. Throws MESSAGING_TOPOLOGY when a queue exists with other arguments. */
export async function declareQueues(model: ChannelModel, queues: readonly QueueSpec[], used = queues): Promise<void> {
  if (queues.length === 0) return;
  try {
    await onOwnChannel(model, (channel) => createMissing(channel, queues));
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, "code") !== accessRefused) throw error;
    try {
      await onOwnChannel(model, (channel) => findAll(channel, used));
    } catch (cause) {
      if (!(cause instanceof Error) || Reflect.get(cause, "code") !== notFound) throw cause;
      throw new Error(`waiting for an app that may declare queues: ${cause.message}`, { cause });
    }
  }
}

/** Creates missing topic exchanges. */
export async function declareTopics(model: ChannelModel, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await onOwnChannel(model, async (channel) => {
    for (const topic of topics) await channel.assertExchange(topic, "topic");
  });
}

/** The broker closes a channel on an error. */
async function onOwnChannel(model: ChannelModel, use: (channel: Channel) => Promise<void>): Promise<void> {
  const channel = await model.createChannel();
  channel.on("error", () => undefined); // fails the call that caused it
  await use(channel);
  // Not awaited: a connection that is lost now sends no response.
  channel.close().catch(() => undefined);
}

async function findAll(channel: Channel, queues: readonly QueueSpec[]): Promise<void> {
  for (const exchange of exchangesOf(queues)) await channel.checkExchange(exchange);
  for (const { name } of queues) await channel.checkQueue(name);
}

const exchangesOf = (queues: readonly QueueSpec[]): ReadonlySet<string> =>
  new Set(queues.flatMap(({ exchange }) => exchange ?? []));

async function createMissing(channel: Channel, queues: readonly QueueSpec[]): Promise<void> {
  for (const exchange of exchangesOf(queues)) await channel.assertExchange(exchange, "direct");
  for (const queue of queues) {
    try {
      await channel.assertQueue(queue.name, { durable: true, arguments: queueArguments(queue) });
      if (queue.exchange !== undefined) await channel.bindQueue(queue.name, queue.exchange, queue.name);
    } catch (cause) {
      if (!(cause instanceof Error) || Reflect.get(cause, "code") !== preconditionFailed) throw cause;
      const detail = `${queue.name}; drain it with the version that declared it, delete it, start again`;
      throw new MessagingError("MESSAGING_TOPOLOGY", `${detail} (${cause.message})`, { cause });
    }
  }
}

function queueArguments({ messagesMax, deadLetterTo, deliveryLimit }: QueueSpec) {
  return {
    "x-queue-type": "quorum",
    ...(messagesMax !== undefined && { "x-max-length": messagesMax }),
    ...(deliveryLimit !== undefined && { "x-delivery-limit": deliveryLimit }),
    // Dead-lettering at least once requires a queue that rejects messages when it is full.
    ...((messagesMax !== undefined || deadLetterTo !== undefined) && { "x-overflow": "reject-publish" }),
    ...(deadLetterTo !== undefined && {
      "x-dead-letter-exchange": "",
      "x-dead-letter-routing-key": deadLetterTo,
      "x-dead-letter-strategy": "at-least-once",
    }),
  };
}

/** Messages that wait in a queue, without those that consumers hold; undefined: the broker does not respond. */
export type DepthProbe = (queue: string) => Promise<number | undefined>;

/** Has its own channel, because the broker closes the one that asks for a missing queue; then it opens a new one. */
export function depthProbe(model: ChannelModel): DepthProbe {
  let channel: Promise<Channel> | undefined;

  async function open(): Promise<Channel> {
    const made = await model.createChannel();
    made.on("error", () => undefined); // fails the call that caused it
    made.on("close", () => (channel = undefined));
    return made;
  }

  return async (queue) => {
    try {
      channel ??= open().catch((error: unknown) => {
        channel = undefined;
        throw error;
      });
      return (await (await channel).checkQueue(queue)).messageCount;
    } catch {
      return undefined;
    }
  };
}

/** Every error of this package. docs/errors.md is made of it. */
export const messagingErrors = {
  MESSAGING_TOPOLOGY: {
    message: "a queue exists with other arguments",
    when: "another version declared it; stop the gateways, let that version drain it (do not purge it), delete it, then start again",
  },
  MESSAGING_URL: { message: "the URL of a broker is not valid", when: "it is no URL, or the list of URLs is empty" },
} as const satisfies Record<string, CatalogueEntry>;

type MessagingErrorCode = keyof typeof messagingErrors;

/** A fault that a retry does not repair. */
export class MessagingError extends CataloguedError<MessagingErrorCode> {
  constructor(code: MessagingErrorCode, detail: string, options?: ErrorOptions) {
    super(messagingErrors, code, detail, options);
  }
}
