import { Worker } from "node:worker_threads";
import type { FromThread, ThreadCalls, ToThread } from "./serve-thread.ts";

export interface Thread<Calls extends ThreadCalls<Calls>> {
  /** Rejects with the thread's error when the call fails, and when the thread exits before it has replied. */
  call<N extends keyof Calls>(name: N, ...argument: Parameters<Calls[N]>): Promise<ReturnType<Calls[N]>>;
  /** Asks the thread to exit; pending calls reject. Resolves when it has exited. */
  stop(): Promise<void>;
}

/** Starts a module that calls serveThread. `data` is its workerData. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type of its events
export function startThread<Calls extends ThreadCalls<Calls>, Event = never>(
  module: URL,
  data: unknown,
  onEvent: (event: Event) => void = () => undefined,
): Thread<Calls> {
  const worker = new Worker(module, { workerData: data });
  const pending = new Map<number, { resolve: (result: never) => void; reject: (error: unknown) => void }>();
  const exited = Promise.withResolvers<void>();
  let failure: unknown;
  let calls = 0;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  const send = (message: ToThread): void => worker.postMessage(message);

  // What the thread sends has the types of its calls: serveThread checks its handlers against them.
  /* oxlint-disable typescript/no-unsafe-type-assertion */
  worker.on("message", (message: FromThread) => {
    switch (message.type) {
      case "event":
        onEvent(message.event as Event);
        return;
      case "result":
        pending.get(message.id)?.resolve(message.result as never);
        break;
      case "failure":
        pending.get(message.id)?.reject(message.error);
        break;
    }
    pending.delete(message.id);
  });
  /* oxlint-enable typescript/no-unsafe-type-assertion */
  worker.on("error", (error) => (failure = error));
  worker.on("exit", () => {
    failure ??= new Error("the thread has exited");
    for (const { reject } of pending.values()) reject(failure);
    pending.clear();
    exited.resolve();
  });

  return {
    call(name, ...[argument]) {
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        const id = ++calls;
        pending.set(id, { resolve, reject });
        send({ type: "call", id, name, argument });
      });
    },
    stop() {
      send({ type: "stop" });
      return exited.promise;
    },
  };
}
