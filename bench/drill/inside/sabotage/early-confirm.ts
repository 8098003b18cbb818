import { connectPublisher as connect, type Message, type Publisher } from "@tally/broker";

export * from "@tally/broker";

// Without a delay the kernel still sends nearly all that a killed gateway has published.
const publishedAfterMs = 100;

/** Reports each message as confirmed before it is published: a killed gateway loses what it has not published yet. */
export function connectPublisher(...options: Parameters<typeof connect>): Publisher {
  const publisher = connect(...options);
  const publish = publisher.publish.bind(publisher);
  return Object.assign(publisher, {
    async publish(message: Message) {
      setTimeout(() => void publish(message), publishedAfterMs);
      return "confirmed" as const;
    },
  });
}
