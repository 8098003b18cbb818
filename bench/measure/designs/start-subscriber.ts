import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A running third subscriber. */
export interface Subscriber {
  /** The number of batches that it has taken, a batch that was published twice counted twice. */
  received(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the third subscriber of a queue. Resolves when it consumes. Its CPU time counts for no tier. */
export async function startSubscriber(amqpUrl: string, queue: string): Promise<Subscriber> {
  const child = fork(join(import.meta.dirname, "subscriber.ts"), [queue], {
    execArgv: [],
    env: {},
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  async function ask(message: string): Promise<number> {
    const replied = once(child, "message");
    // A subscriber that has ended gets no message; its exit says so.
    child.send(message, () => undefined);
    const ended = exited.then(() => Promise.reject(new Error("the third subscriber has ended")));
    const [count]: readonly unknown[] = await Promise.race([replied, ended]);
    return Number(count);
  }
  await ask(amqpUrl);
  return {
    received: () => ask("how many"),
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
