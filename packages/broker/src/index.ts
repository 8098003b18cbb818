export { connectConsumer, type Consumer, type Delivery } from "./connect-consumer.ts";
export { connectPublisher, type Message, type Publisher, type PublishOutcome } from "./connect-publisher.ts";
export { feedPublisher, type FeedOptions } from "./feed-publisher.ts";
export { messagingErrors } from "./declare-queues.ts";
