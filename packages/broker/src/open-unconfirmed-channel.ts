import type { ChannelModel, ConfirmChannel } from "amqplib";
import type { PublishChannel } from "./connect-publisher.ts";

/** A channel without confirms: a message counts as confirmed when it is handed over. For the bench, which measures what confirms cost. */
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
