import type { ChannelModel, ConfirmChannel } from "amqplib";
import type { PublishChannel } from "./connect-publisher.ts";

/**
 * Opens a channel without confirms, for connectPublisher: a message counts as confirmed when it is handed to the connection. The bench
 * measures with it what confirms cost; the apps do not use it.
 */
export async function openUnconfirmedChannel(
  model: ChannelModel,
  { persistent }: { readonly persistent: boolean },
): Promise<PublishChannel> {
  const channel = await model.createChannel();
  const send = channel.publish.bind(channel);
  const publish: ConfirmChannel["publish"] = (exchange, queue, body, properties, settled) => {
    const hasRoom = send(exchange, queue, body, { ...properties, persistent });
    settled?.(null, {});
    return hasRoom;
  };
  return Object.assign(channel, { publish });
}
