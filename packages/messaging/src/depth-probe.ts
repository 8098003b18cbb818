import type { Channel, ChannelModel } from "amqplib";

/** Asks how many messages wait in a queue, without those that consumers hold; undefined when the broker cannot say. */
export type DepthProbe = (queue: string) => Promise<number | undefined>;

/** Asking for a queue that is not there costs the channel that asked. So this has its own, made anew after such a loss. */
export function depthProbe(model: ChannelModel): DepthProbe {
  let channel: Promise<Channel> | undefined;

  async function open(): Promise<Channel> {
    const made = await model.createChannel();
    made.on("error", () => undefined); // the question that caused it has failed
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
