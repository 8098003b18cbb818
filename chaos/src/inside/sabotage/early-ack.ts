import { connectConsumer as connect, type Consumer, type ConsumerOptions } from "@tally/messaging";

export * from "@tally/messaging";

/** Acknowledges each delivery when it arrives. */
export function connectConsumer(options: ConsumerOptions): Consumer {
  return connect({
    ...options,
    onDelivery(delivery) {
      options.onDelivery(delivery);
      delivery.ack();
    },
  });
}
