import type { QueueSpec } from "@tally/contract";

const count = 4;

/** The queues over which the batches of a queue are spread. The first one has its name. */
export function partsOf(queue: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? queue : `${queue}-${index + 1}`));
}

/** Replaces each queue of batches, which alone have an exchange, by its parts. Each part has the limits of the whole. */
export function spreadQueues(queues: readonly QueueSpec[]): readonly QueueSpec[] {
  return queues.flatMap((queue) =>
    queue.exchange === undefined ? [queue] : Array.from(partsOf(queue.name), (name) => ({ ...queue, name })),
  );
}

/** Whether a queue is one of those that are spread. */
export function isSpread(queues: readonly QueueSpec[], queue: string): boolean {
  return queues.some(({ name, exchange }) => name === queue && exchange !== undefined);
}
