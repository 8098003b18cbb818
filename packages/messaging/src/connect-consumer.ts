import type { QueueSpec } from "@tally/pipeline";
import type { Channel, ConsumeMessage } from "amqplib";
import { declareQueues } from "./declare-queues.ts";
import { openConnection, type ConnectionOptions, type ConnectionState } from "./open-connection.ts";
import { renewWithChannel } from "./renew-with-channel.ts";

/** A message in the hands of its consumer. It is settled once; settling it again, or when its channel has ended, does nothing. */
export interface Delivery {
  readonly body: Buffer;
  readonly messageId: string;
  /** True when the broker has delivered it before; then it may have been handled before. */
  readonly redelivered: boolean;
  readonly headers: Readonly<Record<string, unknown>>;
  /** True when its connection is gone: the message comes again, and settling this copy does nothing. */
  readonly lost: boolean;
  /** Done with: the broker forgets it. */
  ack(): void;
  /** Never to be delivered again: goes to the queue's dead letters. */
  reject(): void;
  /** Back to the queue, for any consumer. */
  giveBack(): void;
}

export interface Consumer {
  readonly state: ConnectionState;
  /** Resolves at the first connection; rejects only with a MessagingError, and then the connection stays down. */
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

// Chosen here, so that a cancel can follow a consume that has no answer yet. It is the channel's only one.
const consumerTag = "deliveries";

/** Connects for consuming one queue. After a lost connection what was not acknowledged comes again. */
export function connectConsumer(options: ConsumerOptions): Consumer {
  let channel: Channel | undefined;
  let cancelled = false;

  const connection = openConnection({
    ...options,
    async setup(model, renew) {
      const made = await model.createChannel();
      const forget = () => {
        if (channel === made) channel = undefined;
      };
      renewWithChannel(made, renew, forget);
      const used = options.queues.filter(({ name }) => name === options.queue);
      await declareQueues(model, options.queues, used);
      await made.prefetch(options.prefetch);
      channel = made;
      if (cancelled) return;
      const live = () => (channel === made ? made : undefined);
      await made.consume(
        options.queue,
        (message) => {
          if (message !== null) {
            options.onDelivery(deliveryOf(message, live));
            return;
          }
          // The broker has ended this consumer: its queue was deleted or moved.
          forget();
          renew("consumer cancelled by the broker");
        },
        { consumerTag },
      );
    },
    onUp: () => undefined,
  });

  async function cancel(): Promise<void> {
    // A connection that is lost meanwhile comes back without a consumer.
    cancelled = true;
    await channel?.cancel(consumerTag).catch(() => undefined);
  }

  return {
    get state() {
      return connection.state;
    },
    ready: connection.ready,
    cancel,
    async close() {
      await cancel();
      // A quorum queue holds acknowledgements back when more than 32 are under way, and forgets those when the channel
      // ends: up to a third of 1,000 were seen lost, channel.close or not. A get waits in the queue's log behind all of
      // them; what it takes goes back with the channel.
      await channel?.get(options.queue).catch(() => undefined);
      channel = undefined;
      await connection.close();
    },
  };
}

function deliveryOf(message: ConsumeMessage, live: () => Channel | undefined): Delivery {
  const { messageId, headers } = message.properties;
  let settled = false;
  const settle = (say: (channel: Channel) => void) => {
    const channel = live();
    if (settled || channel === undefined) return;
    settled = true;
    say(channel);
  };
  return {
    body: message.content,
    messageId: String(messageId ?? ""),
    redelivered: message.fields.redelivered,
    headers: headers ?? {},
    get lost() {
      return live() === undefined;
    },
    ack: () => settle((channel) => channel.ack(message)),
    reject: () => settle((channel) => channel.nack(message, false, false)),
    giveBack: () => settle((channel) => channel.nack(message, false, true)),
  };
}
