import { parentPort, Worker } from "node:worker_threads";

/*
 * A thread is called by messages, and stops by a message, between two tasks. It is never terminated from outside: Node
 * 26 aborts the whole process when that interrupts the creation of a zlib stream.
 */

/** What a thread can be called for, by name. Arguments and results are structured-cloneable. */
type ThreadCalls<Calls> = { readonly [N in keyof Calls]: (argument: never) => unknown };

/** undefined: stop. */
type ToThread = { readonly id: number; readonly name: PropertyKey; readonly argument: unknown } | undefined;

type FromThread =
  | { readonly type: "result"; readonly id: number; readonly result: unknown }
  | { readonly type: "failure"; readonly id: number; readonly error: unknown }
  | { readonly type: "event"; readonly event: unknown };

/** One function for each call; it may return a promise. */
type ThreadHandlers<Calls extends ThreadCalls<Calls>> = {
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

  async function reply({ id, name, argument }: NonNullable<ToThread>): Promise<void> {
    try {
      // Any, as the argument: startThread's types pair the two.
      const handler: (argument: unknown) => unknown = Reflect.get<object, PropertyKey>(handlers, name);
      send({ type: "result", id, result: await handler(argument) });
    } catch (error) {
      send({ type: "failure", id, error: cloneable(error) });
    }
  }

  port.on("message", (message: ToThread) => {
    // Ends this thread only, with its sockets and timers.
    if (message === undefined) process.exit(0);
    void reply(message);
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
        send({ id, name, argument });
      });
    },
    stop() {
      send(undefined);
      return exited.promise;
    },
  };
}
