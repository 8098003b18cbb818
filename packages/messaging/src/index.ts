export { connectConsumer, type Consumer, type ConsumerOptions, type Delivery } from "./connect-consumer.ts";
export { connectPublisher, type Message, type Publisher, type PublishOutcome } from "./connect-publisher.ts";
export { MessagingError, type MessagingErrorCode } from "./messaging-error.ts";
export type { ConnectionOptions, ConnectionState } from "./open-connection.ts";
