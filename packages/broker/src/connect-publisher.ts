import { channel as diagnosticChannel } from "node:diagnostics_channel";
import type { QueueSpec } from "@tally/contract";
import { kept } from "@tally/runtime";
import type { ChannelModel, ConfirmChannel } from "amqplib";
import { declareQueues, declareTopics, depthProbe, type DepthProbe } from "./declare-queues.ts";
import { ReconnectingConnection, renewWithChannel } from "./open-connection.ts";
import type { Connection, ConnectionOptions, ConnectionState, Renew } from "./open-connection.ts";

/*
 * The states of a message:
 *
 *   open, not sent  no connection, a blocked one, or a full socket buffer: it waits
 *   open, sent      the broker has not responded
 *   settled         its outcome is known
 *
 * A lost connection makes every open message "not sent" again. The new channel sends all of them in their old order,
 * with their old ids. So a message can reach the queue twice, and its consumer must deduplicate.
 */

export interface Message {
  /** With a `topic`: the routing key. */
  readonly queue: string;
  /** A topic exchange. What no queue is bound for is confirmed, and the broker drops it. */
  readonly topic?: string;
  readonly contentType?: string;
  /** Stays the same when the message is sent again. At most 255 bytes. */
  readonly messageId: string;
  readonly body: Buffer;
  /** When the sender stops waiting, by performance.now(), which no clock sets back; absent: never. */
  readonly deadline?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
}

export type PublishOutcome =
  /** On disk at a majority of the nodes of the queue, or of each that is bound to the topic. */
  | "confirmed"
  /** The broker rejected it: the queue is full, or accepts nothing now (seen while it was being created). */
  | "rejected"
  /** The queue does not exist. */
  | "unroutable"
  /** Deadline, close, or rejected after a first copy may have been accepted: the message may be in the queue. */
  | "expired";

export type Publisher = Pick<QueuePublisher, keyof QueuePublisher>;

interface OpenMessage {
  readonly message: Message;
  readonly settle: (outcome: PublishOutcome) => void;
  readonly fail: (error: unknown) => void;
  sent: boolean;
  /** Sent on a connection that was lost: this copy may be in the queue. */
  sentBefore: boolean;
}

const deadlineCheckMs = 50;
/*
 * A full queue rejects until it has drained to 80 %. RabbitMQ 3.10: if a channel's first message arrives during a
 * leader election, an empty queue rejects everything on that channel forever. Only a new channel helps.
 */
const wrongRejectionMs = 1000;
// A subscriber's full queue must not interrupt other messages often.
const topicRenewedEveryMs = 600_000;
const declaredEveryMs = 1000;
// amqplib's message for a basic.nack; any other error is a channel that has ended.
const nacked = "message nacked";
/** Publishes the queue's name when a message is handed to the connection. Costs nothing without a subscriber. */
const sent = diagnosticChannel("tally:messaging:sent");

export interface PublisherOptions extends ConnectionOptions {
  readonly queues: readonly QueueSpec[];
  /** Topic exchanges that it may create. */
  readonly topics?: readonly string[];
}

/** Connects for publishing only: a broker under alarm blocks connections that publish, and consuming must continue. */
export const connectPublisher = (options: PublisherOptions): Publisher => new QueuePublisher(options);

class QueuePublisher implements Connection {
  readonly #options: PublisherOptions;
  readonly #exchanges: ReadonlyMap<string, string | undefined>;
  readonly #connection: Connection;
  readonly #deadlines: NodeJS.Timeout;
  readonly #open = new Set<OpenMessage>();
  readonly #returned = new Set<string>();
  /** Queues and topics that have confirmed nothing since they rejected a message. `checkedAt`: when the depth was last
   * read, at first when it began to reject; by performance.now(). */
  readonly #rejecting = new Map<string, { checkedAt: number }>();
  /** When topics last got a new connection. */
  readonly #renewedAt = new Map<string, number>();
  #channel: ConfirmChannel | undefined;
  #probe: DepthProbe | undefined;
  #renewConnection: Renew | undefined;
  #bufferFull = false;
  #closed = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#exchanges = new Map(options.queues.map(({ name, exchange }) => [name, exchange]));
    this.#connection = new ReconnectingConnection({
      ...options,
      setup: (model, renew) => this.#setUp(model, renew),
      onUp: () => this.#sendWaiting(),
    });
    // One timer for all messages: a timer for each would cost more than everything else here.
    this.#deadlines = setInterval(() => this.#expire(performance.now()), deadlineCheckMs);
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  get ready(): Promise<void> {
    return this.#connection.ready;
  }

  /** Persistent, and mandatory without a topic. Resolves with the outcome. Rejects only for a message that AMQP cannot
   * carry (an id over 255 bytes, headers over 64 KiB), never for a fault of the broker. */
  publish(message: Message): Promise<PublishOutcome> {
    if (this.#closed) return Promise.resolve("expired");
    return new Promise((resolve, reject) => {
      const one: OpenMessage = { message, settle: resolve, fail: reject, sent: false, sentBefore: false };
      this.#open.add(one);
      if (this.#channel !== undefined && !this.#bufferFull && this.state === "up") this.#send(one, this.#channel);
    });
  }

  /** Messages that wait in a queue, without those that consumers hold; undefined while the broker does not respond. */
  async queueDepth(queue: string): Promise<number | undefined> {
    return this.state === "up" ? this.#probe?.(queue) : undefined;
  }

  /** Does not wait for confirms: open messages expire, and later ones too. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#channel = undefined;
    clearInterval(this.#deadlines);
    for (const one of this.#open) this.#settle(one, "expired");
    await this.#connection.close();
  }

  async #setUp(model: ChannelModel, renew: Renew): Promise<void> {
    const { queues, topics = [] } = this.#options;
    const made = await model.createConfirmChannel();
    const declareAgain = kept(() => declareQueues(model, queues).catch(() => undefined), declaredEveryMs);
    made.on("return", ({ properties, fields }) => {
      this.#returned.add(String(properties.messageId));
      // A deleted queue: the account of its consumer may not declare it.
      if (this.#exchanges.has(fields.routingKey)) void declareAgain();
    });
    made.on("drain", () => {
      this.#bufferFull = false;
      this.#sendWaiting();
    });
    renewWithChannel(made, renew, () => {
      if (this.#channel === made) this.#channel = undefined;
    });
    await declareQueues(model, queues);
    await declareTopics(model, topics);
    this.#probe = depthProbe(model);
    this.#renewConnection = renew;
    this.#rejecting.clear();
    for (const one of this.#open) {
      one.sentBefore ||= one.sent;
      one.sent = false;
    }
    this.#returned.clear();
    this.#bufferFull = false;
    this.#channel = made;
  }

  #sendWaiting(): void {
    for (const one of this.#open) {
      if (this.#channel === undefined || this.#bufferFull || this.state !== "up") return;
      if (!one.sent) this.#send(one, this.#channel);
    }
  }

  #send(one: OpenMessage, to: ConfirmChannel): void {
    const { queue, topic, messageId, body, headers, contentType } = one.message;
    try {
      const type = contentType !== undefined && { contentType };
      const properties = { persistent: true, mandatory: topic === undefined, messageId, headers, ...type };
      const exchange = topic ?? this.#exchanges.get(queue) ?? "";
      this.#bufferFull = !to.publish(exchange, queue, body, properties, (error: unknown) => {
        if (error instanceof Error) {
          if (error.message !== nacked) return;
          // A sender without a deadline retries, and its consumer deduplicates.
          this.#settle(one, one.sentBefore && one.message.deadline !== undefined ? "expired" : "rejected");
          void this.#renewIfWrong(queue, topic);
          return;
        }
        this.#rejecting.delete(topic ?? queue);
        // A message's return precedes its acknowledgement. One to a topic, which may have the same id, is not returned.
        const isReturned = topic === undefined && this.#returned.delete(messageId);
        this.#settle(one, isReturned ? "unroutable" : "confirmed");
      });
      one.sent = true;
      sent.publish(queue);
    } catch (error) {
      this.#open.delete(one);
      one.fail(error);
    }
  }

  #settle(one: OpenMessage, outcome: PublishOutcome): void {
    if (this.#open.delete(one)) one.settle(outcome);
  }

  #expire(now: number): void {
    for (const one of this.#open) {
      if (one.message.deadline !== undefined && one.message.deadline <= now) this.#settle(one, "expired");
    }
  }

  /** Renews a connection on which a queue with room rejects everything. A topic does not say which of its queues
   * rejects, and whether that is full: it gets a new connection from time to time. */
  async #renewIfWrong(queue: string, topic: string | undefined): Promise<void> {
    const now = performance.now();
    const rejecting = topic ?? queue;
    const state = this.#rejecting.get(rejecting) ?? { checkedAt: now };
    this.#rejecting.set(rejecting, state);
    if (now - state.checkedAt < wrongRejectionMs) return;
    state.checkedAt = now;
    if (topic !== undefined) {
      if (now - (this.#renewedAt.get(topic) ?? -Infinity) < topicRenewedEveryMs) return;
      this.#renewedAt.set(topic, now);
      return this.#renewConnection?.(`a queue of ${topic} rejects everything`);
    }
    const depth = await this.#probe?.(queue);
    if (depth === undefined || this.#rejecting.get(queue) !== state) return;
    const { messagesMax = Number.POSITIVE_INFINITY } = this.#options.queues.find(({ name }) => name === queue) ?? {};
    if (depth < messagesMax / 2)
      this.#renewConnection?.(`${queue} rejects everything, and holds only ${depth} messages`);
  }
}
