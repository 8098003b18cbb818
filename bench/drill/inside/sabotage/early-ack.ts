import { connectConsumer as connect, type Consumer } from "@tally/broker";

export * from "@tally/broker";

/** Acknowledges each delivery when it arrives. */
export function connectConsumer(options: Parameters<typeof connect>[0]): Consumer {
  return connect({
    ...options,
    onDelivery(delivery) {
      options.onDelivery(delivery);
      delivery.ack();
    },
  });
}
