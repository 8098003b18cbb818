import type { Channel, ChannelModel } from "amqplib";

/** Returns how many messages wait in a queue, without those that consumers hold; undefined when the broker does not respond. */
export type DepthProbe = (queue: string) => Promise<number | undefined>;

/** The broker closes the channel that asks for a missing queue. So this has a separate channel, and opens a new one after that. */
export function depthProbe(model: ChannelModel): DepthProbe {
  let channel: Promise<Channel> | undefined;

  async function open(): Promise<Channel> {
    const made = await model.createChannel();
    made.on("error", () => undefined); // fails the call that caused it
    made.on("close", () => {
      channel = undefined;
    });
    return made;
  }

  return async (queue) => {
    try {
      channel ??= open().catch((error: unknown) => {
        channel = undefined;
        throw error;
      });
      return (await (await channel).checkQueue(queue)).messageCount;
    } catch {
      return undefined;
    }
  };
}
