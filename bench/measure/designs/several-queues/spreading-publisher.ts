import { connectPublisher, type Publisher } from "@tally/broker";
import { isSpread, partsOf, spreadQueues } from "./spread-queues.ts";

/** A publisher that sends the batches of a domain to its queues in turn. The depth of such a queue is that of all its parts. */
export function connectSpreadingPublisher(options: Parameters<typeof connectPublisher>[0]): Publisher {
  const publisher = connectPublisher({ ...options, queues: spreadQueues(options.queues) });
  const parts = (queue: string): readonly string[] => (isSpread(options.queues, queue) ? partsOf(queue) : [queue]);
  let sent = 0;
  return {
    get state() {
      return publisher.state;
    },
    get openCount() {
      return publisher.openCount;
    },
    ready: publisher.ready,
    publish(message) {
      const queues = parts(message.queue);
      return publisher.publish({ ...message, queue: queues[sent++ % queues.length] ?? message.queue });
    },
    async queueDepth(queue) {
      const depths = await Promise.all(parts(queue).map((part) => publisher.queueDepth(part)));
      return depths.reduce((sum, depth) => (sum === undefined || depth === undefined ? undefined : sum + depth), 0);
    },
    close: () => publisher.close(),
  };
}
