import type { Channel, ConfirmChannel } from "amqplib";
import { declareQueues, type QueueSpec } from "./declare-queues.ts";
import { openConnection, type ConnectionOptions, type ConnectionState } from "./open-connection.ts";

/*
 * The life of a message:
 *
 *   open, not sent  no connection, a blocked one, or a full socket buffer: it waits its turn
 *   open, sent      on the wire; the broker has not answered
 *   settled         its outcome is known
 *
 * A lost connection makes every open message "not sent" again: on the new channel all go out in their old order, under
 * their old ids. So a message may reach the queue twice, and whoever consumes it must bear that.
 */

export interface Message {
  readonly queue: string;
  /** Stays the same when the message is sent again. */
  readonly messageId: string;
  readonly body: Buffer;
  /** Epoch ms after which the sender no longer waits; absent: for ever. */
  readonly deadline?: number;
}

export type PublishOutcome =
  /** On disk at a majority of the queue's nodes. */
  | "confirmed"
  /** The queue is full; the message is not in it. */
  | "rejected"
  /** There is no such queue. */
  | "unroutable"
  /** Deadline or close: the outcome is unknown, the message may be in the queue. */
  | "expired";

export interface Publisher {
  readonly state: ConnectionState;
  readonly ready: Promise<void>;
  /** Messages whose outcome is not known yet. */
  readonly openCount: number;
  /** Persistent and mandatory. Resolves with the outcome; never rejects for a fault of the broker. */
  publish(message: Message): Promise<PublishOutcome>;
  /** Messages that wait in a queue, without those that consumers hold; undefined while the broker cannot say. */
  queueDepth(queue: string): Promise<number | undefined>;
  /** Open messages expire. */
  close(): Promise<void>;
}

interface OpenMessage {
  readonly message: Message;
  readonly settle: (outcome: PublishOutcome) => void;
  sent: boolean;
}

const deadlineCheckMs = 50;
// What amqplib calls back with for a basic.nack; any other error is a channel that has ended.
const nacked = "message nacked";

/** Connects for publishing only: a broker under alarm blocks connections that publish, and consuming must go on. */
export function connectPublisher(options: ConnectionOptions & { readonly queues: readonly QueueSpec[] }): Publisher {
  const open = new Set<OpenMessage>();
  const returned = new Set<string>();
  let channel: ConfirmChannel | undefined;
  let probe: Channel | undefined;
  let bufferFull = false;

  const connection = openConnection({
    ...options,
    async setup(model) {
      const made = await model.createConfirmChannel();
      made.on("error", () => undefined); // "close" follows
      made.on("return", ({ properties }) => returned.add(String(properties.messageId)));
      made.on("drain", () => {
        bufferFull = false;
        sendWaiting();
      });
      made.on("close", () => {
        if (channel !== made) return;
        channel = undefined;
        connection.renew();
      });
      await declareQueues(made, options.queues);
      probe = await openProbe(() => model.createChannel());
      for (const one of open) one.sent = false;
      returned.clear();
      bufferFull = false;
      channel = made;
    },
    onUp: () => sendWaiting(),
  });

  const settle = (one: OpenMessage, outcome: PublishOutcome) => {
    if (open.delete(one)) one.settle(outcome);
  };

  function sendWaiting(): void {
    for (const one of open) if (!one.sent) send(one);
  }

  function send(one: OpenMessage): void {
    if (channel === undefined || bufferFull || connection.state !== "up") return;
    const { queue, messageId, body } = one.message;
    one.sent = true;
    const properties = { persistent: true, mandatory: true, messageId };
    bufferFull = !channel.publish("", queue, body, properties, (error: unknown) => {
      if (error instanceof Error) {
        if (error.message === nacked) settle(one, "rejected");
        return;
      }
      // The return of a message comes before its acknowledgement.
      settle(one, returned.delete(messageId) ? "unroutable" : "confirmed");
    });
  }

  const deadlines = setInterval(() => {
    const now = Date.now();
    for (const one of open)
      if (one.message.deadline !== undefined && one.message.deadline <= now) settle(one, "expired");
  }, deadlineCheckMs);

  return {
    get state() {
      return connection.state;
    },
    ready: connection.ready,
    get openCount() {
      return open.size;
    },
    publish(message) {
      return new Promise((resolve) => {
        const one: OpenMessage = { message, settle: resolve, sent: false };
        open.add(one);
        send(one);
      });
    },
    async queueDepth(queue) {
      try {
        return (await probe?.checkQueue(queue))?.messageCount;
      } catch {
        return undefined; // asked while the connection went, or of a queue that is gone
      }
    },
    async close() {
      clearInterval(deadlines);
      channel = undefined;
      await connection.close();
      for (const one of open) settle(one, "expired");
    },
  };

  // Asking for a queue that is not there costs the channel that asked: it has its own, made anew each time.
  async function openProbe(make: () => Promise<Channel>): Promise<Channel> {
    const made = await make();
    made.on("error", () => undefined);
    made.on("close", () => {
      if (probe !== made) return;
      probe = undefined;
      // Fails when the connection is gone too: the next setup makes one.
      openProbe(make).then(
        (next) => (probe = next),
        () => undefined,
      );
    });
    return made;
  }
}
