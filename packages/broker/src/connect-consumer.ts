import type { QueueSpec } from "@tally/contract";
import type { Channel, ConsumeMessage } from "amqplib";
import { declareQueues } from "./declare-queues.ts";
import { ReconnectingConnection, renewWithChannel } from "./open-connection.ts";
import type { ConnectionOptions } from "./open-connection.ts";

/** A message at its consumer. Only the first settlement counts, and none after its channel has ended. Without one it
 * returns to the queue then. */
export interface Delivery {
  readonly body: Buffer;
  readonly messageId: string;
  /** True: the broker has delivered it before, so it may have been handled. */
  readonly redelivered: boolean;
  readonly headers: Readonly<Record<string, unknown>>;
  /** True: its connection is lost. The broker delivers the message again, and settling this copy does nothing. */
  readonly lost: boolean;
  /** Done: the broker removes it. */
  ack(): void;
  /** Not delivered again: the broker moves it to the queue's dead letters. */
  reject(): void;
}

export type Consumer = ReturnType<typeof connectConsumer>;

export interface ConsumerOptions extends ConnectionOptions {
  readonly queues: readonly QueueSpec[];
  readonly queue: string;
  readonly prefetch: number;
  readonly onDelivery: (delivery: Delivery) => void;
}

// Chosen here, so that cancel() works before the broker responds to consume(). It is the channel's only consumer.
const consumerTag = "deliveries";

/** Connects and consumes one queue. After a lost connection the broker delivers unacknowledged messages again. */
export function connectConsumer(options: ConsumerOptions) {
  let channel: Channel | undefined;
  let cancelled = false;
  // The broker delivers those of a lost connection again.
  let held = 0;

  const connection = new ReconnectingConnection({
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
      held = 0;
      if (cancelled) return;
      const live = () => (channel === made ? made : undefined);
      await made.consume(
        options.queue,
        (message) => {
          if (message !== null) {
            held += 1;
            options.onDelivery(deliveryOf(message, live, () => (held -= 1)));
            return;
          }
          // The broker has cancelled this consumer: its queue was deleted or moved.
          forget();
          renew("consumer cancelled by the broker");
        },
        { consumerTag },
      );
    },
    onUp: () => undefined,
  });

  /** Stops new deliveries; those that arrived can still be settled. */
  async function cancel(): Promise<void> {
    // A connection that is lost meanwhile reconnects without a consumer.
    cancelled = true;
    await channel?.cancel(consumerTag).catch(() => undefined);
  }

  return {
    get state() {
      return connection.state;
    },
    /** Deliveries of the present connection that are not settled: the broker counts them in no queue. */
    get held(): number {
      return channel === undefined ? 0 : held;
    },
    ready: connection.ready,
    cancel,
    /** Sends the settlements, then disconnects. The broker delivers unsettled messages to another consumer. */
    async close(): Promise<void> {
      await cancel();
      // A quorum queue delays acknowledgements when more than 32 are in flight, and drops those when the channel ends:
      // up to a third of 1,000 were lost, with and without channel.close. A get waits in the queue's log behind all of
      // them; the message that it takes returns to the queue with the channel.
      await channel?.get(options.queue).catch(() => undefined);
      channel = undefined;
      await connection.close();
    },
  };
}

function deliveryOf(message: ConsumeMessage, live: () => Channel | undefined, onSettled: () => void): Delivery {
  const { messageId, headers } = message.properties;
  let settled = false;
  const settle = (send: (channel: Channel) => void) => {
    const channel = live();
    if (settled || channel === undefined) return;
    settled = true;
    onSettled();
    send(channel);
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
  };
}
