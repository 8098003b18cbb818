import { MessageChannel, parentPort, Worker, type MessagePort } from "node:worker_threads";
import { reasonOf } from "@tally/runtime";

/*
 * A thread is called by messages, and stops by a message, between two tasks. It is never terminated from outside: Node
 * 26 aborts the whole process when that interrupts the creation of a zlib stream.
 */

/** Calls of a thread by name; each may return a promise. Arguments and results are structured-cloneable. */
type ThreadCalls<Calls> = { readonly [N in keyof Calls]: (argument: never) => unknown };

/** A call, whose reply goes to its port; undefined: stop. */
type ToThread = { readonly name: PropertyKey; readonly argument: unknown; readonly port: MessagePort } | undefined;

type Reply = { readonly result: unknown } | { readonly error: unknown };

/* oxlint-disable unicorn/require-post-message-target-origin -- the rule is about windows */

/** Makes the module that calls it a thread. Returns a function that sends an event to the main thread. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type of its events
export function serveThread<Calls extends ThreadCalls<Calls>, Event = never>(handlers: Calls): (event: Event) => void {
  if (parentPort === null) throw new TypeError("this module runs only as a thread");
  const main = parentPort;
  async function reply({ name, argument, port }: NonNullable<ToThread>): Promise<void> {
    const send = (message: Reply): void => port.postMessage(message);
    try {
      // Any, as the argument: startThread's types pair the two.
      const handler: (argument: unknown) => unknown = Reflect.get<object, PropertyKey>(handlers, name);
      send({ result: await handler.call(handlers, argument) });
    } catch (error) {
      try {
        send({ error });
      } catch {
        // Its cause or a property, such as a function, cannot be cloned.
        send({ error: new Error(reasonOf(error)) });
      }
    }
  }
  main.on("message", (message: ToThread) => {
    // Ends this thread only, with its sockets and timers.
    if (message === undefined) process.exit(0);
    void reply(message);
  });
  return (event) => main.postMessage(event);
}

export interface Thread<Calls extends ThreadCalls<Calls>> {
  /** Rejects with the thread's error when the call fails, and when the thread exits before it has replied. */
  call<N extends keyof Calls>(name: N, ...argument: Parameters<Calls[N]>): Promise<Awaited<ReturnType<Calls[N]>>>;
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
  const exited = Promise.withResolvers<never>();
  exited.promise.catch(() => undefined);
  worker.on("message", onEvent);
  worker.on("error", (error) => exited.reject(error));
  worker.on("exit", () => exited.reject(new Error("the thread has exited")));
  const send = (message: ToThread, ports: MessagePort[] = []): void => worker.postMessage(message, ports);

  return {
    async call(name, ...[argument]) {
      const { port1, port2 } = new MessageChannel();
      const replied = new Promise<Reply>((resolve) => void port1.once("message", resolve));
      send({ name, argument, port: port2 }, [port2]);
      try {
        const reply = await Promise.race([replied, exited.promise]);
        if ("error" in reply) throw reply.error;
        // serveThread checks its handlers against the types of the calls.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return reply.result as never;
      } finally {
        port1.close();
      }
    },
    async stop() {
      send(undefined);
      await exited.promise.catch(() => undefined);
    },
  };
}
