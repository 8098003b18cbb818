import { connectConsumer as connect, type Consumer } from "@tally/messaging";

export * from "@tally/messaging";

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
