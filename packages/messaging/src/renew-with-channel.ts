import type { Channel } from "amqplib";
import type { Renew } from "./open-connection.ts";

/**
 * Begins the whole connection anew when this channel ends. Brokers close single channels rarely (a delivery held too
 * long, an internal error), and one way of recovery that is always used is better than two.
 */
export function renewWithChannel(channel: Channel, renew: Renew, onEnd: () => void): void {
  let reason = "channel closed";
  channel.on("error", (error) => {
    reason = error.message;
  });
  channel.on("close", () => {
    onEnd();
    renew(reason);
  });
}
