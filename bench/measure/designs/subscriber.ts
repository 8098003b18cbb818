import { once } from "node:events";
import { silentLog } from "@tally/runtime";
import { connectConsumer } from "@tally/broker";

/*
 * The third subscriber of fan-out, a child process. Its parent's first message is the broker's URL. It takes every
 * batch of its queue, and replies to each further message with their number so far.
 */

const prefetch = 16;
// Also when its parent is killed.
process.once("disconnect", () => process.exit(0));

const [, , queue = ""] = process.argv;
const [url]: readonly unknown[] = await once(process, "message");
let received = 0;
const consumer = connectConsumer({
  url: String(url),
  connectionName: "tally bench third subscriber",
  queues: [],
  queue,
  prefetch,
  onDelivery(delivery) {
    received += 1;
    delivery.ack();
  },
  log: silentLog,
});
await consumer.ready;
process.on("message", () => process.send?.(received));
process.send?.(received);
