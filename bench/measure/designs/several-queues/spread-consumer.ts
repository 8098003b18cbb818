import { connectConsumer, type Consumer } from "@tally/broker";
import { isSpread, partsOf, spreadQueues } from "./spread-queues.ts";

/** One consumer for each part of a queue of batches, each with its own connection and an equal share of the prefetch. */
export function connectSpreadConsumer(options: Parameters<typeof connectConsumer>[0]): Consumer {
  const queues = spreadQueues(options.queues);
  const parts = isSpread(options.queues, options.queue) ? partsOf(options.queue) : [options.queue];
  const prefetch = Math.ceil(options.prefetch / parts.length);
  const consumers = parts.map((queue) => connectConsumer({ ...options, queues, queue, prefetch }));
  return {
    get state() {
      return consumers.find(({ state }) => state !== "up")?.state ?? "up";
    },
    get held() {
      return consumers.reduce((sum, { held }) => sum + held, 0);
    },
    ready: Promise.all(consumers.map((consumer) => consumer.ready)).then(() => undefined),
    async cancel() {
      await Promise.all(consumers.map((consumer) => consumer.cancel()));
    },
    async close() {
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };
}
