import { parentPort } from "node:worker_threads";

/*
 * A thread is called by messages, as startThread sends them, and stops by a message: it exits by itself, between two tasks. It is never
 * terminated from outside: Node 26 aborts the whole process when that interrupts the creation of a zlib stream.
 */

/** What a thread can be called for, by name. Arguments and results are structured-cloneable. */
export type ThreadCalls<Calls> = { readonly [N in keyof Calls]: (argument: never) => unknown };

export type ToThread =
  | { readonly type: "call"; readonly id: number; readonly name: PropertyKey; readonly argument: unknown }
  | { readonly type: "stop" };

export type FromThread =
  | { readonly type: "result"; readonly id: number; readonly result: unknown }
  | { readonly type: "failure"; readonly id: number; readonly error: unknown }
  | { readonly type: "event"; readonly event: unknown };

/** One function for each call; it may return a promise. */
export type ThreadHandlers<Calls extends ThreadCalls<Calls>> = {
  readonly [N in keyof Calls]: (
    argument: Parameters<Calls[N]>[0],
  ) => ReturnType<Calls[N]> | Promise<ReturnType<Calls[N]>>;
};

/** Makes the module that calls it a thread. Returns a function that sends an event to the main thread. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type of its events
export function serveThread<Calls extends ThreadCalls<Calls>, Event = never>(
  handlers: ThreadHandlers<Calls>,
): (event: Event) => void {
  if (parentPort === null) throw new TypeError("this module runs only as a thread");
  const port = parentPort;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the rule is about windows
  const send = (message: FromThread): void => port.postMessage(message);

  async function reply(id: number, name: PropertyKey, argument: unknown): Promise<void> {
    try {
      // Any, as the argument: startThread's types pair the two.
      const handler: (argument: unknown) => unknown = Reflect.get<object, PropertyKey>(handlers, name);
      send({ type: "result", id, result: await handler(argument) });
    } catch (error) {
      send({ type: "failure", id, error: cloneable(error) });
    }
  }

  port.on("message", (message: ToThread) => {
    switch (message.type) {
      case "call":
        void reply(message.id, message.name, message.argument);
        break;
      case "stop":
        process.exit(0); // ends this thread only, with its sockets and timers
    }
  });
  return (event) => send({ type: "event", event });
}

/** The error itself, or only its text where its cause or a property, such as a function, cannot be cloned. */
function cloneable(error: unknown): unknown {
  try {
    return structuredClone(error);
  } catch {
    return new Error(error instanceof Error ? error.message : String(error));
  }
}
