import type { Channel, ConsumeMessage } from "amqplib";
import { declareQueues, type QueueSpec } from "./declare-queues.ts";
import { openConnection, type ConnectionOptions, type ConnectionState } from "./open-connection.ts";

/** A message in the hands of its consumer. It is settled once; whatever is said after that, or after its channel, is nothing. */
export interface Delivery {
  readonly body: Buffer;
  readonly messageId: string;
  /** True when the broker has delivered it before; then it may have been handled before. */
  readonly redelivered: boolean;
  /** Done with: the broker forgets it. */
  ack(): void;
  /** Never to be delivered again: goes to the queue's dead letters. */
  reject(): void;
  /** Back to the queue, for any consumer. */
  giveBack(): void;
}

export interface Consumer {
  readonly state: ConnectionState;
  readonly ready: Promise<void>;
  /** Takes no new deliveries; those in hand can still be settled. */
  cancel(): Promise<void>;
  /** Sends what was settled, then ends; what was not is delivered again to another consumer. */
  close(): Promise<void>;
}

export interface ConsumerOptions extends ConnectionOptions {
  readonly queues: readonly QueueSpec[];
  readonly queue: string;
  /** How many deliveries may be in hand. */
  readonly prefetch: number;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Connects for consuming one queue. After a lost connection what was not acknowledged comes again. */
export function connectConsumer(options: ConsumerOptions): Consumer {
  let channel: Channel | undefined;
  let consumerTag: string | undefined;
  let cancelled = false;

  const connection = openConnection({
    ...options,
    async setup(model) {
      const made = await model.createChannel();
      made.on("error", () => undefined); // "close" follows
      made.on("close", () => {
        if (channel !== made) return;
        channel = undefined;
        connection.renew();
      });
      await declareQueues(made, options.queues);
      await made.prefetch(options.prefetch);
      channel = made;
      if (cancelled) return;
      const { consumerTag: tag } = await made.consume(options.queue, (message) => {
        // Null: the broker has ended this consumer, its queue was deleted or moved.
        if (message === null) connection.renew();
        else options.onDelivery(deliveryOf(message, () => (channel === made ? made : undefined)));
      });
      consumerTag = tag;
    },
    onUp: () => undefined,
  });

  return {
    get state() {
      return connection.state;
    },
    ready: connection.ready,
    async cancel() {
      cancelled = true;
      // A connection that is lost meanwhile comes back without a consumer.
      if (consumerTag !== undefined) await channel?.cancel(consumerTag).catch(() => undefined);
    },
    async close() {
      cancelled = true;
      const last = channel;
      channel = undefined;
      // The answer to the channel's close comes after the broker has read every acknowledgement before it.
      await last?.close().catch(() => undefined);
      await connection.close();
    },
  };
}

function deliveryOf(message: ConsumeMessage, live: () => Channel | undefined): Delivery {
  let settled = false;
  const once = (say: (channel: Channel) => void) => {
    const channel = live();
    if (settled || channel === undefined) return;
    settled = true;
    say(channel);
  };
  return {
    body: message.content,
    messageId: String(message.properties.messageId ?? ""),
    redelivered: message.fields.redelivered,
    ack: () => once((channel) => channel.ack(message)),
    reject: () => once((channel) => channel.nack(message, false, false)),
    giveBack: () => once((channel) => channel.nack(message, false, true)),
  };
}
