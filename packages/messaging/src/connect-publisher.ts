import { channel as diagnosticChannel } from "node:diagnostics_channel";
import type { QueueSpec } from "@tally/pipeline";
import type { ChannelModel, ConfirmChannel } from "amqplib";
import { declareQueues } from "./declare-queues.ts";
import { openConnection, type ConnectionOptions, type ConnectionState, type Renew } from "./open-connection.ts";
import { depthProbe, type DepthProbe } from "./depth-probe.ts";
import { renewWithChannel } from "./renew-with-channel.ts";

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
  /** Stays the same when the message is sent again. At most 255 bytes. */
  readonly messageId: string;
  readonly body: Buffer;
  /** Epoch ms after which the sender no longer waits; absent: for ever. */
  readonly deadline?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
}

export type PublishOutcome =
  /** On disk at a majority of the queue's nodes. */
  | "confirmed"
  /** The broker refused it: the queue is full, or cannot take anything now (seen while it was being created). */
  | "rejected"
  /** There is no such queue. */
  | "unroutable"
  /** Deadline, close, or refused after a first copy may have been taken: the outcome is unknown, the message may be in the queue. */
  | "expired";

export interface Publisher {
  readonly state: ConnectionState;
  /** Resolves at the first connection; rejects only with a MessagingError, and then the connection stays down. */
  readonly ready: Promise<void>;
  /** Messages whose outcome is not known yet. */
  readonly openCount: number;
  /**
   * Persistent and mandatory. Resolves with the outcome; never rejects for a fault of the broker, only for a message that
   * AMQP cannot carry (an id over 255 bytes, headers over 64 KiB).
   */
  publish(message: Message): Promise<PublishOutcome>;
  /** Messages that wait in a queue, without those that consumers hold; undefined while the broker cannot say. */
  queueDepth(queue: string): Promise<number | undefined>;
  /** Waits for no confirm: open messages expire, and those published later. */
  close(): Promise<void>;
}

interface OpenMessage {
  readonly message: Message;
  readonly settle: (outcome: PublishOutcome) => void;
  readonly fail: (error: unknown) => void;
  sent: boolean;
  /** Sent on a connection that was lost: that copy may be in the queue. */
  sentBefore: boolean;
}

/** A queue refuses, and has confirmed nothing since. */
interface Refusal {
  /** When its depth was last asked for, at first when it began to refuse; by performance.now(). */
  askedAt: number;
}

const deadlineCheckMs = 50;
/*
 * A full queue refuses until it has drained to 80 %. But a channel whose first message meets a queue that is electing its
 * leader (a node has died) can be refused for ever, by an empty queue (seen with RabbitMQ 3.10). Only a new channel helps.
 */
const wrongRefusalMs = 1000;
// What amqplib calls back with for a basic.nack; any other error is a channel that has ended.
const nacked = "message nacked";
/**
 * Publishes the queue's name when a message is handed to the connection, which writes it after this turn of the event loop. Costs nothing
 * without a subscriber.
 */
const sent = diagnosticChannel("tally:messaging:sent");

/** Connects for publishing only: a broker under alarm blocks connections that publish, and consuming must go on. */
export function connectPublisher(options: ConnectionOptions & { readonly queues: readonly QueueSpec[] }): Publisher {
  const open = new Set<OpenMessage>();
  const returned = new Set<string>();
  let channel: ConfirmChannel | undefined;
  let probe: DepthProbe | undefined;
  let renewConnection: Renew | undefined;
  let bufferFull = false;
  let closed = false;
  const refusals = new Map<string, Refusal>();
  const exchanges = new Map(options.queues.map(({ name, exchange }) => [name, exchange]));

  const connection = openConnection({ ...options, setup, onUp: sendWaiting });

  async function setup(model: ChannelModel, renew: Renew): Promise<void> {
    const made = await model.createConfirmChannel();
    made.on("return", ({ properties }) => returned.add(String(properties.messageId)));
    made.on("drain", () => {
      bufferFull = false;
      sendWaiting();
    });
    renewWithChannel(made, renew, () => {
      if (channel === made) channel = undefined;
    });
    await declareQueues(model, options.queues);
    probe = depthProbe(model);
    renewConnection = renew;
    refusals.clear();
    for (const one of open) {
      one.sentBefore ||= one.sent;
      one.sent = false;
    }
    returned.clear();
    bufferFull = false;
    channel = made;
  }

  function sendWaiting(): void {
    for (const one of open) {
      if (channel === undefined || bufferFull || connection.state !== "up") return;
      if (!one.sent) send(one, channel);
    }
  }

  function send(one: OpenMessage, to: ConfirmChannel): void {
    const { queue, messageId, body, headers } = one.message;
    try {
      const properties = { persistent: true, mandatory: true, messageId, headers };
      bufferFull = !to.publish(exchanges.get(queue) ?? "", queue, body, properties, (error: unknown) => {
        if (error instanceof Error) {
          if (error.message !== nacked) return;
          // A sender without a deadline goes on trying, and must bear a second copy.
          settle(one, one.sentBefore && one.message.deadline !== undefined ? "expired" : "rejected");
          void refused(queue);
          return;
        }
        refusals.delete(queue);
        // The return of a message comes before its acknowledgement.
        settle(one, returned.delete(messageId) ? "unroutable" : "confirmed");
      });
      one.sent = true;
      sent.publish(queue);
    } catch (error) {
      open.delete(one);
      one.fail(error);
    }
  }

  function settle(one: OpenMessage, outcome: PublishOutcome): void {
    if (open.delete(one)) one.settle(outcome);
  }

  /** Leaves a connection on which a queue that has room refuses everything. */
  async function refused(queue: string): Promise<void> {
    const now = performance.now();
    const refusal = refusals.get(queue) ?? { askedAt: now };
    refusals.set(queue, refusal);
    if (now - refusal.askedAt < wrongRefusalMs) return;
    refusal.askedAt = now;
    const depth = await probe?.(queue);
    if (depth === undefined || refusals.get(queue) !== refusal) return;
    const { messagesMax = Number.POSITIVE_INFINITY } = options.queues.find(({ name }) => name === queue) ?? {};
    if (depth < messagesMax / 2) renewConnection?.(`${queue} refuses everything, and holds only ${depth} messages`);
  }

  // One timer for all of them: a timer for each message would cost more than the rest of it.
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
      if (closed) return Promise.resolve("expired");
      return new Promise((resolve, reject) => {
        const one: OpenMessage = { message, settle: resolve, fail: reject, sent: false, sentBefore: false };
        open.add(one);
        if (channel !== undefined && !bufferFull && connection.state === "up") send(one, channel);
      });
    },
    async queueDepth(queue) {
      return connection.state === "up" ? probe?.(queue) : undefined;
    },
    async close() {
      closed = true;
      channel = undefined;
      clearInterval(deadlines);
      for (const one of open) settle(one, "expired");
      await connection.close();
    },
  };
}
