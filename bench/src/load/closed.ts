import autocannon from "autocannon";
import type { LoadPlan, Until } from "./load-plan.ts";
import type { Recorder } from "./recorder.ts";
import { bytesOf, type Requests } from "./requests.ts";

/* autocannon sends and waits; what is sent and how answers are timed is ours: its own times are whole milliseconds. */

/** What autocannon's client has beside what its types tell (version 9, lib/httpClient.js). */
interface Client {
  /** Called for each request; the bytes that go out. */
  getRequestBuffer: () => Buffer;
  /** It ends after so many answers; it may be lowered while it runs. */
  responseMax: number;
  reqsMade: number;
  on(event: "done", listener: () => void): void;
  on(event: "headers", listener: (answer: { readonly headers: readonly string[] }) => void): void;
}

// Not reached: how many requests a phase that ends by its time may send.
const plenty = 2 ** 52;
const eventIdHeader = "tally-event-id";

/** Each connection sends its next request when the last is answered. Ends when every request that was sent is answered or given up. */
export async function runClosed(plan: LoadPlan, until: Until, requests: Requests, recorder: Recorder): Promise<void> {
  const clients: Client[] = [];
  const reads = new WeakSet<object>();
  const ids = new WeakMap<object, string>();

  await new Promise<void>((resolve, reject) => {
    let ended = 0;
    const run = autocannon(
      {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it takes several, its types do not know
        url: plan.urls as unknown as string,
        connections: plan.connections,
        amount: until.name === "amount" ? until.amount : plenty,
        timeout: plan.answerWithinMs / 1000,
        setupClient(given) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
          const client = given as unknown as Client;
          const { host } = new URL(plan.urls[clients.length % plan.urls.length] ?? "");
          clients.push(client);
          client.getRequestBuffer = () => {
            const request = requests.next();
            if (request.method === "GET") reads.add(client);
            else reads.delete(client);
            recorder.sent++;
            return bytesOf(request, host);
          };
          client.on("headers", ({ headers }) => {
            const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === eventIdHeader);
            const id = headers[at + 1];
            if (at >= 0 && id !== undefined) ids.set(client, id);
          });
          // autocannon itself tells of its end up to a second later.
          client.on("done", () => {
            if (++ended === plan.connections) resolve();
          });
        },
      },
      (error) => {
        if (error !== null && error !== undefined) reject(new Error("the load cannot be made", { cause: error }));
      },
    );
    run.on("response", (client, status, _bytes, ms) => {
      recorder.answer(status, ms * 1000, ids.get(client), reads.has(client));
      ids.delete(client);
    });
    run.on("reqError", (error: Error) =>
      recorder.failed(error.message === "request timed out" ? "timeout" : "connection"),
    );
    if (until.name !== "seconds") return;
    setTimeout(() => {
      // Each has one request under way: its answer is the last.
      for (const client of clients) client.responseMax = client.reqsMade;
    }, until.seconds * 1000);
  });
}
